/** The states of a statechart: initial and final states, deadlines and events. */
import type { ChartModel } from '../../charts/model.ts'
import { isState, type Selection } from '../../charts/selection.ts'
import type { FullMachine } from '../../charts/use-machine.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { delayText } from './meaning.ts'
import { Prose } from './prose.tsx'

interface StateTableProps {
  machine: FullMachine
  model: ChartModel
  selection: Selection
  onSelect: (selection: Selection) => void
}

export function StateTable({ machine, model, selection, onSelect }: StateTableProps) {
  return (
    <ul className="moves" aria-label="States">
      {model.states.map(({ name, isInitial, isFinal, deadlines }) => {
        const leaves = machine.transitions.filter(({ from }) => from === name)
        const events = [...new Set(leaves.map(({ event }) => event))].filter((event) => !deadlines.includes(event))
        return (
          <li key={name}>
            <button
              type="button"
              className="move"
              aria-pressed={isState(selection, name)}
              onClick={() => onSelect(isState(selection, name) ? null : { state: name })}
            >
              <span className="row">
                <StateBadge state={name} />
                {isInitial && <Tag>initial</Tag>}
                {isFinal && <Tag>final</Tag>}
              </span>
              {machine.deadlines
                .filter(({ event }) => deadlines.includes(event))
                .map(({ event, limits, defaultMs }) => (
                  <span key={event} className="move-event">
                    <Icon name="clock" size={13} />
                    <span>deadline:</span>
                    <code>{event}</code>
                    <span>
                      <Prose>{limits}</Prose> ({delayText(defaultMs)})
                    </span>
                  </span>
                ))}
              {events.length > 0 && <span className="faint">events: {events.join(', ')}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
