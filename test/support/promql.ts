import { parser } from '@prometheus-io/lezer-promql';

export interface PromqlNames {
  readonly metrics: readonly string[];
  /** Labels that the expression filters or groups by. */
  readonly labels: readonly string[];
}

/** Returns the metrics and labels that a PromQL expression uses. @throws Error if the expression is not valid PromQL. */
export function parsePromql(expression: string): PromqlNames {
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
