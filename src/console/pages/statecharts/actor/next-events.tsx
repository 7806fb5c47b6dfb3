/** The possible events: the sender, the targets, and a preview of each. */
import { useState } from 'react'
import type { LiveActor } from '../../../charts/actor.ts'
import { edgeOfRow } from '../../../charts/model.ts'
import type { Selection } from '../../../charts/selection.ts'
import type { FullMachine } from '../../../charts/use-machine.ts'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/states.tsx'
import { meaningOfGuard, type Sender, senderOf, sourceWords } from '../meaning.ts'
import { Prose } from '../prose.tsx'
import { type Preview, PreviewNote } from './preview-note.tsx'
import { TryEvent } from './try-event.tsx'

interface NextEventsProps {
  actor: LiveActor
  machine: FullMachine | undefined
  kind: string
  id: string
  onSelect: (selection: Selection) => void
}

export function NextEvents({ actor, machine, kind, id, onSelect }: NextEventsProps) {
  const { nextEvents, state } = actor
  if (nextEvents.length === 0) {
    return (
      <Empty icon="check" title="No further transitions">
        No event leads out of {state}.
      </Empty>
    )
  }
  return (
    <Section title="Possible events">
      <ul className="moves" aria-label="Possible events">
        {nextEvents.map((event) => (
          // a preview holds for one state and version only
          <li key={`${state} ${event} ${actor.resource.value?.version}`}>
            <NextEvent
              kind={kind}
              id={id}
              event={event}
              state={state}
              sender={machine && senderOf(machine, event)}
              machine={machine}
              onSelect={onSelect}
            />
          </li>
        ))}
      </ul>
      <TryEvent kind={kind} id={id} />
    </Section>
  )
}

interface NextEventProps extends Omit<NextEventsProps, 'actor'> {
  event: string
  state: string
  sender: Sender | undefined
}

function NextEvent({ kind, id, event, state, sender, machine, onSelect }: NextEventProps) {
  const api = useApi()
  const [preview, setPreview] = useState<Preview>()
  const attempt = useAction(() => api.v1.actors({ kind })({ id }).preview.post({ event }), {
    done: (value) => setPreview(value as Preview),
  })
  const moves = (machine?.transitions ?? []).filter((move) => move.from === state && move.event === event)
  const guards = new Set(moves.flatMap(({ guard }) => (guard === null ? [] : [guard])))
  return (
    <div className="next">
      <div className="next-head">
        <span className="move-event">
          {sender?.source === 'deadline' && <Icon name="clock" size={13} />}
          <code className="next-name">{event}</code>
        </span>
        <Button small pending={attempt.pending} aria-label={`Try it: ${event}`} onClick={() => void attempt.run()}>
          Try it
        </Button>
      </div>
      {sender && (
        <p className="faint">
          {sourceWords[sender.source]}: <Prose>{sender.text}</Prose>
        </p>
      )}
      <ul className="next-targets">
        {moves.map((move) => (
          <li key={`${move.to} ${move.guard}`}>
            <button type="button" className="next-target" onClick={() => onSelect({ edge: edgeOfRow(move) ?? '' })}>
              <span aria-hidden="true">{move.to === state ? '↻' : '→'}</span>
              <span>{move.to}</span>
              {move.guard && <code className="faint">[{move.guard}]</code>}
            </button>
          </li>
        ))}
      </ul>
      {[...guards].map((guard) => (
        <p key={guard} className="move-meaning">
          <code>[{guard}]</code> {machine && meaningOfGuard(machine, guard)}
        </p>
      ))}
      {preview && <PreviewNote preview={preview} />}
    </div>
  )
}
