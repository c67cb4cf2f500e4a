import { parser } from '@prometheus-io/lezer-promql';

export interface Asked {
  readonly metrics: readonly string[];
  /** That it filters or groups by. */
  readonly labels: readonly string[];
}

/** What a PromQL expression asks for. @throws Error where it is none. */
export function asks(expression: string): Asked {
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  parser.parse(expression).iterate({
    enter: ({ type, from, to }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`This is no PromQL, at character ${from}: ${expression}`);
      if (type.name === 'Identifier') metrics.add(text);
      if (type.name === 'LabelName') labels.add(text);
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}
