/**
 * The transitions of a statechart as a table. Choosing a row selects its edge on the chart; a selection on the chart filters
 * the rows, which then explain their guards and effects.
 */
import { commonGuard } from '../../../runtime/statecharts/layouts/lines.ts'
import { deadlinesOf, edgeOfRow, type Move } from '../../charts/model.ts'
import type { Selection } from '../../charts/selection.ts'
import type { FullMachine } from '../../charts/use-machine.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { meaningOfEffect, meaningOfGuard } from './meaning.ts'

interface MoveTableProps {
  machine: FullMachine
  selection: Selection
  onSelect: (selection: Selection) => void
}

function isPicked(move: Move, selection: Selection): boolean {
  if (selection === null) return true
  const { from, to } = move
  return 'edge' in selection ? edgeOfRow(move) === selection.edge : from === selection.state || to === selection.state
}

export function MoveTable({ machine, selection, onSelect }: MoveTableProps) {
  const moves = machine.transitions.filter((move) => isPicked(move, selection))
  const picked = selection && ('edge' in selection ? selection.edge : selection.state)
  return (
    <div className="stack">
      <p className="row moves-note">
        {picked ? (
          <>
            <span>
              {moves.length} of {machine.transitions.length} transitions: <strong>{picked}</strong>
            </span>
            <Button small icon="close" onClick={() => onSelect(null)}>
              Show all
            </Button>
          </>
        ) : (
          <span className="faint">
            Rows are tried from the top; the first whose guard holds is taken. An event without a row is refused (409).
          </span>
        )}
      </p>
      <ol className="moves" aria-label="Transitions">
        {moves.map((move) => (
          <li key={`${move.from} ${move.event} ${move.guard} ${move.to}`}>
            <MoveRow machine={machine} move={move} isExplained={selection !== null} onSelect={onSelect} />
          </li>
        ))}
      </ol>
    </div>
  )
}

interface MoveRowProps {
  machine: FullMachine
  move: Move
  isExplained: boolean
  onSelect: MoveTableProps['onSelect']
}

function MoveRow({ machine, move, isExplained, onSelect }: MoveRowProps) {
  const { from, event, guard, to, effects } = move
  const edge = edgeOfRow(move)
  const isDeadline = from !== null && deadlinesOf(machine, from).includes(event)
  return (
    <button type="button" className="move" onClick={() => onSelect(edge === undefined ? { state: to } : { edge })}>
      <span className="move-way">
        <span className="move-state">{from ?? 'new'}</span>
        <span aria-hidden="true">{from === to ? '↻' : '→'}</span>
        <span className="visually-hidden">{from === to ? 'stays' : 'to'}</span>
        {from !== to && <span className="move-state">{to}</span>}
      </span>
      <span className="move-event">
        {isDeadline && <Icon name="clock" size={13} />}
        {isDeadline && <span className="visually-hidden">after</span>}
        <code>{event}</code>
        {guard && (isExplained || guard !== commonGuard(machine)) && (
          <code className="faint" title={meaningOfGuard(machine, guard)}>
            [{guard}]
          </code>
        )}
      </span>
      {isExplained && guard && <span className="move-meaning">{meaningOfGuard(machine, guard)}</span>}
      {effects.length > 0 && (
        <span className="move-effects">
          {effects.map((effect) => (
            <span key={effect} className="tag" title={meaningOfEffect(machine, effect)}>
              {effect}
            </span>
          ))}
        </span>
      )}
      {isExplained &&
        effects.map((effect) => (
          <span key={effect} className="move-meaning">
            {meaningOfEffect(machine, effect)}
          </span>
        ))}
    </button>
  )
}
