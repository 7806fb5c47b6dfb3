/** Steps of two runs in one table, aligned, with differences marked. */
import { diffArrays } from 'diff'
import { toneOf } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { durationText } from '../../../ui/time.tsx'
import { countText, type Step, stepIcons } from '../steps/steps.ts'
import type { Side } from './use-side.ts'

/** Steps of the same kind and name are aligned. */
const likeness = ({ kind, name }: Step) => `${kind} ${name}`

type Row = [left: Step | undefined, right: Step | undefined]

function rowsOf(left: readonly Step[], right: readonly Step[]): Row[] {
  const rows: Row[] = []
  let [at, to] = [0, 0]
  for (const { added, removed, value } of diffArrays(left.map(likeness), right.map(likeness))) {
    for (const _ of value) {
      if (added) rows.push([undefined, right[to++]])
      else if (removed) rows.push([left[at++], undefined])
      else rows.push([left[at++], right[to++]])
    }
  }
  return rows
}

export function ComparedSteps({ left, right }: { left: Side; right: Side }) {
  const rows = rowsOf(left.steps ?? [], right.steps ?? [])
  if (rows.length === 0) return <p className="faint">No steps.</p>
  return (
    <div className="table-frame">
      <table className="table compare-steps" aria-label="steps of both runs">
        <thead>
          <tr>
            <th scope="col">First run</th>
            <th scope="col">Second run</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([one, other]) => (
            <tr
              key={`${one?.agentStepId ?? ''} ${other?.agentStepId ?? ''}`}
              className={one && other ? undefined : 'compare-apart'}
            >
              <td data-title="First run">{one && <StepLine step={one} />}</td>
              <td data-title="Second run">{other && <StepLine step={other} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const StepLine = ({ step: { kind, name, status, timing, tokenUsage, error } }: { step: Step }) => (
  <span className="compare-step">
    <span className={`compare-step-icon badge-${toneOf(status)}`}>
      <Icon name={stepIcons[kind]} size={14} />
    </span>
    <span className="ellipsis" title={error?.message ?? `${kind} ${name}, ${status}`}>
      {name}
    </span>
    <span className="faint number">
      {tokenUsage.totalTokens > 0 && `${countText(tokenUsage.totalTokens)} tok · `}
      {timing.durationMs === null ? status : durationText(timing.durationMs)}
    </span>
  </span>
)
