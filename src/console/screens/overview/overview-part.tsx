import { type ComponentChildren, type VNode } from 'preact';
import { Chart, type Line } from '../../components/live.js';
import { Count, Notice, Time } from '../../components/text.js';
import { increaseOver, newest, ratesPerMinute } from './sample-history.js';
import { type OverviewReading, type Sample } from './overview-source.js';

const MINUTE_MS = 60_000;

/** The part of the overview that is sent again: ready or why not, the newest values, and the charts of the last hour. */
export function OverviewPart({ reading: { faults, degradedBy, samples } }: { readonly reading: OverviewReading }): VNode {
  const [first] = samples;
  const last = samples.at(-1);
  return (
    <>
      <Ready faults={faults} degradedBy={degradedBy} />
      {first && last ? (
        <>
          <Cards samples={samples} last={last} />
          <h2>Last hour</h2>
          <p class="soft">
            The charts begin at <Time at={new Date(first.atMs).toISOString()} /> UTC. They show this process since its start, one hour at
            most, read every 15 seconds. Lookups and refunds of other processes are on the consoles of those processes.
          </p>
          <Charts samples={samples} />
        </>
      ) : (
        <p class="empty">This process has just started. The first values appear here within seconds.</p>
      )}
    </>
  );
}

function Ready({ faults, degradedBy }: Pick<OverviewReading, 'faults' | 'degradedBy'>): VNode {
  if (faults.length > 0) return <Notice tone="bad">{`The service is not ready. ${[...faults, ...degradedBy].join(' ')}`}</Notice>;
  if (degradedBy.length === 0) return <Notice tone="good">The service is ready.</Notice>;
  return <Notice tone="warn">{`The service is ready, but degraded: some calls are refused. ${degradedBy.join(' ')}`}</Notice>;
}

function Cards({ samples, last }: { readonly samples: readonly Sample[]; readonly last: Sample }): VNode {
  const lastMinute = newest(samples, MINUTE_MS);
  return (
    <div class="cards">
      <Card name="Lookups" note="in the last minute">
        <Count value={increaseOver(lastMinute, ({ lookups }) => lookups)} />
      </Card>
      <Card name="Errors" note="lookups with status 500 or 503, last hour" href="/console/lookups">
        <Count value={increaseOver(samples, ({ errors }) => errors)} />
      </Card>
      <Card name="Refunds" note="last hour">
        <Count value={increaseOver(samples, ({ refunds }) => refunds)} />
      </Card>
      <Card name="Lag of read models" note={lagNote(last)} href="/console/read-models">
        <Seconds value={last.lagSeconds} />
      </Card>
      <Card name="Open charges" note={ageNote(last)}>
        <Count value={last.openCharges} />
      </Card>
      <Card name="Deliveries waiting" note={failingNote(last)} href="/console/webhooks">
        <Count value={last.deliveriesWaiting} />
      </Card>
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly note: string;
  readonly href?: string;
  readonly children: ComponentChildren;
}

function Card({ name, note, href, children }: CardProps): VNode {
  return (
    <div class="card">
      {href === undefined ? name : <a href={href}>{name}</a>}
      <strong>{children}</strong>
      <small>{note}</small>
    </div>
  );
}

function Seconds({ value }: { readonly value: number | null }): VNode {
  return value === null ? <Count value={null} /> : <span class="number">{`${Math.round(value)} s`}</span>;
}

function lagNote({ lagEvents }: Sample): string {
  return lagEvents === null ? 'could not be read' : `events not applied yet: ${lagEvents}`;
}

function ageNote({ openCharges, oldestChargeSeconds }: Sample): string {
  if (openCharges === null) return 'could not be read';
  return openCharges === 0 ? 'neither settled nor refunded' : `the oldest for ${Math.round(oldestChargeSeconds ?? 0)} s`;
}

function failingNote({ deliveriesWaiting, failingSeconds }: Sample): string {
  if (deliveriesWaiting === null) return 'could not be read';
  return failingSeconds ? `overdue at failing endpoints for ${Math.round(failingSeconds)} s` : 'none overdue at failing endpoints';
}

function Charts({ samples }: { readonly samples: readonly Sample[] }): VNode {
  const times = samples.map(({ atMs }) => Math.round(atMs / 1_000));
  const rate = (label: string, counter: (sample: Sample) => number): Line => ({
    label,
    values: ratesPerMinute(samples, counter).map((value) => (value === null ? null : Math.round(value * 10) / 10)),
  });
  const level = (label: string, value: (sample: Sample) => number | null): Line => ({ label, values: samples.map(value) });
  return (
    <div class="columns">
      <Chart
        label="Lookups a minute"
        times={times}
        lines={[rate('All', ({ lookups }) => lookups), rate('Errors', ({ errors }) => errors), rate('Billed', ({ billed }) => billed)]}
      />
      <Chart label="Refunds a minute" times={times} lines={[rate('Refunds', ({ refunds }) => refunds)]} />
      <Chart
        label="Lag of the slowest read model, in seconds"
        times={times}
        unit="seconds"
        lines={[level('Lag', ({ lagSeconds }) => (lagSeconds === null ? null : Math.round(lagSeconds * 10) / 10))]}
      />
      <Chart
        label="Open charges and waiting deliveries"
        times={times}
        stepped
        lines={[level('Open charges', ({ openCharges }) => openCharges), level('Deliveries', ({ deliveriesWaiting }) => deliveriesWaiting)]}
      />
    </div>
  );
}
