import { type WalletEvent } from '../../../src/contexts/wallet/domain/events.js';
import { hashOfManual, isManualEvent, manualEntryOf } from '../../../src/contexts/wallet/domain/crediting/manual-entries.js';
import { type WalletCommand } from '../../../src/contexts/wallet/domain/wallet-command.js';
import { walletDecider } from '../../../src/contexts/wallet/domain/wallet.js';
import { given } from './given.js';

/** Returns the entries of a wallet from the first on, each manual one with the hash of those before it. */
export function withManualHashes(events: readonly WalletEvent[]): WalletEvent[] {
  let manual_entries_hash = hashOfManual([]);
  return events.map((each, index) => {
    const event = { ...each, revision: BigInt(index) };
    if (!isManualEvent(event)) return each;
    const hashed = { type: each.type, data: { ...each.data, manual_entries_hash } } as WalletEvent;
    manual_entries_hash = hashOfManual([manualEntryOf(event)], manual_entries_hash);
    return hashed;
  });
}

/** Tests the decider of wallets like {@link given}. The events of both sides need not have the hashes of manual entries. */
export function givenWallet(events: readonly WalletEvent[]) {
  const history = withManualHashes(events);
  const { state, when } = given(walletDecider, history);
  return {
    state,
    when: (command: WalletCommand) => ({
      ...when(command),
      then: (expected: readonly WalletEvent[]) => {
        when(command).then(withManualHashes([...history, ...expected]).slice(history.length));
      },
    }),
  };
}
