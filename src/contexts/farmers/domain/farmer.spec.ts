import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type FarmerEvent, type RecordParts } from './events.js';
import { farmerDecider } from './farmer.js';

const at = '2026-11-21T10:00:00.000Z';
const recorded = { rupa_id: 'rp-1', recorded_at: at, actor: 'admin' };
const put = { kind: 'put' as const, rupa_id: 'rp-1', mode: 'sandbox' as const, record: {}, at, actor: 'admin' };
const registered: FarmerEvent = { type: 'FarmerRegistered', data: { ...recorded, mode: 'sandbox', parts: {} } };
const registeredWith = (parts: RecordParts): FarmerEvent => ({ type: 'FarmerRegistered', data: { ...recorded, mode: 'sandbox', parts } });

function updated(part: 'identity' | 'credit_history' | 'phone_verified', content: unknown, data_as_of = at): FarmerEvent {
  return { type: 'FarmerSectionUpdated', data: { ...recorded, part, data_as_of, content } };
}

const erase = { kind: 'erase' as const, rupa_id: 'rp-1', at, actor: 'admin' };
const erased: FarmerEvent = { type: 'FarmerErased', data: recorded };

describe('erasing a farmer', () => {
  it('appends one event, which names only the pseudonym', () => {
    given(farmerDecider, [registered, updated('phone_verified', true)])
      .when(erase)
      .then([erased]);
  });

  it('changes nothing the second time', () => {
    given(farmerDecider, [registered, erased]).when(erase).thenNothing();
  });

  it('is rejected for an unknown id', () => {
    given(farmerDecider, []).when(erase).thenRejected('farmer_unknown');
  });
});

describe('a date of birth', () => {
  const born = (date_of_birth: string): typeof put => ({ ...put, record: { identity: { date_of_birth } } });

  it.each(['2026-11-23', '2030-01-01', '2026-11-22T12:00:00-12:00'])('in the future is refused: %s', (date) => {
    const field = 'identity.date_of_birth';
    expect(() => farmerDecider.decide(born(date), farmerDecider.initialState)).toThrow(
      expect.objectContaining({ errors: { [field]: ['The identity.date of birth field must not be in the future.'] } }),
    );
  });

  it.each(['2026-11-21', '1984-05-17', '2026-11-22T00:00:00+14:00'])('that has begun somewhere on Earth is recorded: %s', (date) => {
    given(farmerDecider, [])
      .when(born(date))
      .then([registeredWith({ identity: { content: { date_of_birth: date }, data_as_of: at } })]);
  });
});

const reports = { loans: [], repayments: [], policies: [], harvests: [], input_purchases: [] };
const definition = { record: { phone_verified: true }, erased: false, lookups: 'succeed' as const, reports };
const define = { kind: 'define-test-farmer' as const, rupa_id: 'rp-1', version: 1, definition, at, actor: 'admin' };
const defined = (version: number): FarmerEvent => ({
  type: 'TestFarmerDefined',
  data: { ...recorded, version, lookups: 'succeed', reports },
});

describe('a test farmer', () => {
  it('is registered for the sandbox with its record, and then gets its facts', () => {
    given(farmerDecider, [])
      .when(define)
      .then([registeredWith({ phone_verified: { content: true, data_as_of: at } }), defined(1)]);
  });

  it('is erased at once if its definition says so', () => {
    given(farmerDecider, [])
      .when({ ...define, definition: { ...definition, record: {}, erased: true } })
      .then([registered, defined(1), erased]);
  });

  it('gets what a newer definition states differently, and notifies nobody of a new score', () => {
    const history = [registered, defined(1), updated('phone_verified', true), updated('credit_history', { credit_score: 1 })];
    const newer = { ...definition, record: { phone_verified: true, credit_history: { credit_score: 2 } } };
    given(farmerDecider, history)
      .when({ ...define, version: 2, definition: newer })
      .then([defined(2), updated('credit_history', { credit_score: 2 })]);
  });

  it('does not change with an equal or older definition', () => {
    const other = { ...definition, record: { phone_verified: false } };
    for (const version of [1, 2])
      given(farmerDecider, [registered, defined(2)])
        .when({ ...define, version, definition: other })
        .thenNothing();
    given(farmerDecider, [registered, defined(2), erased])
      .when(define)
      .thenNothing();
  });

  it('takes new facts after its erasure, and stays erased', () => {
    given(farmerDecider, [registered, defined(1), erased])
      .when({ ...define, version: 2, definition: { ...definition, erased: true } })
      .then([defined(2)]);
  });

  it('does not replace an ordinary farmer with the same id', () => {
    given(farmerDecider, [registered]).when(define).thenNothing();
    given(farmerDecider, [registered, erased]).when(define).thenNothing();
  });

  it('cannot be recorded or erased by administrators', () => {
    given(farmerDecider, [registered, defined(1)])
      .when(put)
      .thenRejected('test_farmer');
    given(farmerDecider, [registered, defined(1)])
      .when(erase)
      .thenRejected('test_farmer');
    given(farmerDecider, [registered, defined(1), erased])
      .when(put)
      .thenRejected('farmer_erased');
    given(farmerDecider, [registered, defined(1), erased])
      .when(erase)
      .thenRejected('farmer_erased');
  });

  it('reserves every id with its prefix, except for farmers that were registered before', () => {
    const rupa_id = 'rp-test-own';
    given(farmerDecider, [])
      .when({ ...put, rupa_id })
      .thenRejected('test_farmer');
    given(farmerDecider, [registered])
      .when({ ...put, rupa_id, mode: undefined })
      .thenNothing();
    given(farmerDecider, [registered])
      .when({ ...erase, rupa_id })
      .then([{ type: 'FarmerErased', data: { ...recorded, rupa_id } }]);
  });
});

describe('recording a farmer', () => {
  it('registers the farmer with the parts that are sent, in one event', () => {
    const record = { phone_verified: true, identity: { first_name: 'Aisha', data_as_of: '2026-01-01' } };
    given(farmerDecider, [])
      .when({ ...put, record })
      .then([
        registeredWith({
          phone_verified: { content: true, data_as_of: at },
          identity: { content: record.identity, data_as_of: '2026-01-01' },
        }),
      ]);
  });

  it('registers a live farmer unless a mode is sent', () => {
    given(farmerDecider, [])
      .when({ ...put, mode: undefined })
      .then([{ ...registered, data: { ...recorded, mode: 'live', parts: {} } }]);
  });

  it('compares with what was sent with the registration', () => {
    const identity = { first_name: 'Aisha' };
    const known = registeredWith({ identity: { content: identity, data_as_of: at }, credit_history: { content: {}, data_as_of: at } });
    given(farmerDecider, [known])
      .when({ ...put, record: { identity, credit_history: {} } })
      .thenNothing();
    given(farmerDecider, [known])
      .when({ ...put, record: { identity: {}, credit_history: {} } })
      .then([updated('identity', {})]);
  });

  it('changes nothing the second time', () => {
    const identity = { first_name: 'Aisha', last_name: 'Bello' };
    given(farmerDecider, [registered, updated('identity', identity)])
      .when({ ...put, record: { identity: { last_name: 'Bello', first_name: 'Aisha' } } })
      .thenNothing();
  });

  it('replaces a whole section and leaves the others unchanged', () => {
    given(farmerDecider, [registered, updated('phone_verified', true), updated('identity', { first_name: 'Aisha', last_name: 'Bello' })])
      .when({ ...put, record: { identity: { first_name: 'Aisha' } } })
      .then([updated('identity', { first_name: 'Aisha' })]);
  });

  it('is rejected if the mode differs from the registered one', () => {
    given(farmerDecider, [registered])
      .when({ ...put, mode: 'live' })
      .thenRejected('farmer_mode_fixed', { mode: 'sandbox' });
    given(farmerDecider, [registered])
      .when({ ...put, mode: undefined })
      .thenNothing();
  });

  it('appends CreditScoreChanged only if the score differs', () => {
    const before = updated('credit_history', { credit_score: 600 });
    const changed: FarmerEvent = { type: 'CreditScoreChanged', data: { ...recorded, credit_score: 640 } };
    given(farmerDecider, [registered, before])
      .when({ ...put, record: { credit_history: { credit_score: 640 } } })
      .then([updated('credit_history', { credit_score: 640 }), changed]);
    given(farmerDecider, [registered, before])
      .when({ ...put, record: { credit_history: { credit_score: 600, vsla_membership: true } } })
      .then([updated('credit_history', { credit_score: 600, vsla_membership: true })]);
  });

  it('is rejected for an erased farmer', () => {
    given(farmerDecider, [registered, { type: 'FarmerErased', data: recorded }])
      .when(put)
      .thenRejected('farmer_erased');
  });
});
