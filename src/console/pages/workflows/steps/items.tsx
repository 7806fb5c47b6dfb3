/** The items of a step that is done for each of a list: how far they are, and each with its error or run. */
import { useState } from 'react'
import { Link } from 'wouter'
import { at } from '../../../places.ts'
import { StateBadge, toneOf } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { usePlace } from '../../../use-place.ts'
import type { WorkflowStep } from '../run.ts'
import { countsOf, itemsText, oneLine, type StepState } from './step-words.ts'

type Elements = NonNullable<WorkflowStep['elements']>

interface ItemsProps {
  stepId: string
  elements: Elements
  /** The list, if it is known. */
  items: unknown
}

/** Items shown at first, and with each further press. */
const shownAtOnce = 50

/** States that need a user's attention: their items are shown first. */
const troubling: StepState[] = ['unknown', 'failed']

export function Items({ stepId, elements, items }: ItemsProps) {
  const counts = countsOf(elements)
  const [asked, ask] = useState<StepState | 'all'>(
    () => counts.find(({ state }) => troubling.includes(state))?.state ?? 'all',
  )
  const [limit, setLimit] = useState(shownAtOnce)
  // the last item of a state may leave it
  const filter = counts.some(({ state }) => state === asked) ? asked : 'all'
  const matching = filter === 'all' ? elements : elements.filter(({ state }) => state === filter)
  const values = Array.isArray(items) ? items : []
  // what is done fills the bar from its beginning
  const track = counts.toSorted((one, other) => Number(other.state === 'succeeded') - Number(one.state === 'succeeded'))
  const number = (count: number) => count.toLocaleString('en')
  return (
    <section className="workflow-items" aria-label={`Items of ${stepId}`}>
      <h3>Items</h3>
      <p className="faint">{itemsText(elements)}</p>
      <div className="workflow-items-track" aria-hidden="true">
        {track.map(({ state, count }) => (
          <span key={state} className={`badge-${toneOf(state)}`} data-state={state} style={{ flexGrow: count }} />
        ))}
      </div>
      {counts.length > 1 && (
        <Segments
          label={`Items of ${stepId} by state`}
          value={filter}
          options={[
            { value: 'all', title: `All ${number(elements.length)}` },
            ...counts.map(({ state, count }) => ({
              value: state,
              title: `${state.replaceAll('_', ' ')} ${number(count)}`,
            })),
          ]}
          onChoose={(state) => {
            ask(state)
            setLimit(shownAtOnce)
          }}
        />
      )}
      <ol className="workflow-items-list">
        {matching.slice(0, limit).map((element) => (
          <Item key={element.index} stepId={stepId} element={element} value={values[element.index]} />
        ))}
      </ol>
      {matching.length > limit && (
        <Button small onClick={() => setLimit(limit + shownAtOnce)}>
          {`Show ${number(Math.min(shownAtOnce, matching.length - limit))} more of ${number(matching.length)}`}
        </Button>
      )}
    </section>
  )
}

interface ItemProps {
  stepId: string
  element: Elements[number]
  value: unknown
}

function Item({ stepId, element: { index, state, attempts, error, childWorkflowRunId }, value }: ItemProps) {
  const place = usePlace()
  return (
    <li className="workflow-item">
      <code title={`${stepId}.${index}`}>{index}</code>
      <span className="workflow-item-about">
        {value !== undefined && <code className="faint ellipsis">{oneLine(value)}</code>}
        {error && <span className="workflow-item-error">{error.message}</span>}
        {childWorkflowRunId && <Link href={at(place, 'workflows', childWorkflowRunId)}>Its run</Link>}
      </span>
      {attempts > 1 && <span className="faint">{attempts} attempts</span>}
      <StateBadge state={state} {...(state === 'pending' && { tone: 'idle' as const })} />
    </li>
  )
}
