/** The steps of a workflow's revision: their graph, and a table of what each does and when. */
import { Suspense, useMemo } from 'react'
import type { WorkflowSource, WorkflowStep } from '../../../authoring/definitions/source.ts'
import { lazyPart } from '../../lazy-part.ts'
import { Section } from '../../ui/page.tsx'
import { Loading } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { planIn } from '../workflows/plan.ts'
import { doingOf, manner, waitsFor } from './steps.ts'

const Graph = lazyPart(() => import('../workflows/graph.tsx'))

/** The graph of a source that the server has accepted. */
export function SourceGraph({ source, direction }: { source: WorkflowSource; direction?: 'down' }) {
  const plan = useMemo(() => ({ steps: planIn(source), isKnown: true }), [source])
  return (
    <Suspense fallback={<Loading rows={4} label="Loading the graph" />}>
      <Graph plan={plan} {...(direction && { direction })} />
    </Suspense>
  )
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const always: Column<WorkflowStep>[] = [
  { title: 'Step', cell: ({ id }) => <code>{id}</code> },
  {
    title: 'Does',
    cell: (step) => (
      <span>
        <code>{doingOf(step)}</code>
        {manner(step) && <span className="faint"> {manner(step)}</span>}
      </span>
    ),
  },
  { title: 'Depends on', cell: (step) => waitsFor(step).join(', ') || <span className="faint">nothing</span> },
]
const condition: Column<WorkflowStep> = {
  title: 'Condition',
  cell: ({ when }) => (when === undefined ? <span className="faint">always</span> : <code>{text(when)}</code>),
}
const compensation: Column<WorkflowStep> = {
  title: 'Compensated by',
  cell: ({ compensate }) => (compensate ? <code>{compensate.operation}</code> : <span className="faint none">–</span>),
}
const endings: Column<WorkflowStep>[] = [
  { title: 'Attempts', align: 'end', cell: ({ retry }) => retry?.maxAttempts ?? 1 },
  { title: 'On error', cell: ({ onError = 'fail' }) => (onError === 'fail' ? 'fail the run' : 'continue') },
]

export const WorkflowSteps = ({ source }: { source: WorkflowSource }) => (
  <Section title="Steps">
    {source.description && <p>{source.description}</p>}
    <SourceGraph source={source} />
    <Table
      label="steps"
      items={source.steps}
      keyOf={({ id }) => id}
      columns={[
        ...always,
        ...(source.steps.some(({ when }) => when !== undefined) ? [condition] : []),
        ...(source.steps.some(({ compensate }) => compensate) ? [compensation] : []),
        ...endings,
      ]}
    />
  </Section>
)
