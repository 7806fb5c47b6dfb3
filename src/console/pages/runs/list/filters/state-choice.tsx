/** States to filter by, with the number of runs in each. */
import { type RunState, runStates } from '../../../../../../machines/run/states.ts'
import { useApi } from '../../../../data/context.ts'
import { useResource } from '../../../../data/resource.ts'
import { StateBadge } from '../../../../ui/badge.tsx'
import { countsKey } from '../rows/use-run-rows.ts'

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

interface StateChoiceProps {
  states: readonly RunState[]
  change: (states: readonly RunState[]) => void
  /** Whether the list has no other filters, so that the counts apply to it. */
  isCounted: boolean
  projectId: string | undefined
  environmentId: string | undefined
}

export function StateChoice({ states, change, isCounted, projectId, environmentId }: StateChoiceProps) {
  const api = useApi()
  const query = { ...(projectId && { projectId }), ...(environmentId && { environmentId }) }
  const counts = useResource(isCounted ? [...countsKey, JSON.stringify(query)] : null, (options) =>
    api.v1.machines({ kind: 'run' }).population.get({ ...options, query }),
  )
  // without permission for counts none are shown
  const countOf = (state: RunState) =>
    isCounted ? counts.value?.states.find((each) => each.state === state)?.count : undefined
  return (
    <fieldset className="run-states" aria-label="States">
      {runStates.map((state) => {
        const pressed = states.includes(state)
        const count = countOf(state)
        return (
          <button
            key={state}
            type="button"
            className="run-state"
            aria-pressed={pressed}
            data-empty={count === 0 || undefined}
            onClick={() => change(pressed ? states.filter((one) => one !== state) : [...states, state])}
          >
            <StateBadge state={state} />
            {count !== undefined && count > 0 && (
              <span className="run-state-count number" title={`${count.toLocaleString('en')} runs`}>
                {compact.format(count)}
              </span>
            )}
          </button>
        )
      })}
    </fieldset>
  )
}
