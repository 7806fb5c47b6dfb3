/** The next step of a simulation: an event with its data and assumed guards, or a wait. */
import { useId, useState } from 'react'
import type { FullMachine } from '../../../charts/use-machine.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/page.tsx'
import { remainingText } from '../actor/remaining.ts'
import { meaningOfGuard, senderOf, sourceWords } from '../meaning.ts'
import { Prose } from '../prose.tsx'
import { objectIn, type Step } from './address.ts'
import type { Outcome } from './use-simulation.ts'

interface SendProps {
  outcome: Outcome
  machine: FullMachine | undefined
  /** Adds the step; false at the limit. */
  onStep: (step: Step) => boolean
}

const crowded = 'This simulation has reached its limit of steps. Undo one, or start over.'

export function Send({ outcome: { end }, machine, onStep }: SendProps) {
  return (
    <div className="stack">
      <Section title="Events">
        {end.nextEvents.length === 0 && <p className="faint">No event leads out of this state.</p>}
        <ul className="moves" aria-label="Events to send">
          {end.nextEvents.map((event) => (
            // data and assumptions hold for one state only
            <li key={`${end.state} ${event}`}>
              <OneEvent event={event} state={end.state} machine={machine} onStep={onStep} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Time">
        <Wait end={end} onStep={onStep} />
      </Section>
    </div>
  )
}

type Given = Record<string, boolean>

function OneEvent({
  event,
  state,
  machine,
  onStep,
}: Pick<SendProps, 'machine' | 'onStep'> & { event: string; state: string | null }) {
  const fieldId = useId()
  const [text, setText] = useState('')
  const [assume, setAssume] = useState<Given>({})
  const [problem, setProblem] = useState<string>()
  const sender = machine && senderOf(machine, event)
  const rows = (machine?.transitions ?? []).filter(({ from, event: name }) => from === state && name === event)
  const guards = [...new Set(rows.flatMap(({ guard }) => (guard === null ? [] : [guard])))]

  function send() {
    const fields = text.trim() === '' ? {} : objectIn(text)
    if (!fields) return setProblem('Enter the data as a JSON object: {"field": "value"}.')
    const step: Step = { event: { ...fields, type: event }, ...(Object.keys(assume).length > 0 && { assume }) }
    setProblem(onStep(step) ? undefined : crowded)
  }
  return (
    <div className="next">
      <div className="next-head">
        <span className="move-event">
          {sender?.source === 'deadline' && <Icon name="clock" size={13} />}
          <code className="next-name">{event}</code>
        </span>
        <Button small aria-label={`Send ${event}`} onClick={send}>
          Send
        </Button>
      </div>
      {sender && (
        <p className="faint">
          {sourceWords[sender.source]}: <Prose>{sender.text}</Prose>
        </p>
      )}
      {problem && (
        <p className="field-issues" role="alert">
          {problem}
        </p>
      )}
      <details className="try">
        <summary>{guards.length > 0 ? 'Data and guards' : 'Data'}</summary>
        <div className="stack">
          <label htmlFor={fieldId}>Data of {event}, as JSON</label>
          <textarea
            id={fieldId}
            className="try-text"
            rows={2}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {guards.map((guard) => (
            <GuardAnswer
              key={guard}
              guard={guard}
              event={event}
              meaning={machine && meaningOfGuard(machine, guard)}
              answer={assume[guard]}
              onAnswer={(answer) => {
                const { [guard]: _, ...others } = assume
                setAssume(answer === undefined ? others : { ...others, [guard]: answer })
              }}
            />
          ))}
        </div>
      </details>
    </div>
  )
}

interface GuardAnswerProps {
  guard: string
  event: string
  meaning: string | undefined
  /** undefined: the guard is evaluated. */
  answer: boolean | undefined
  onAnswer: (answer: boolean | undefined) => void
}

function GuardAnswer({ guard, event, meaning, answer, onAnswer }: GuardAnswerProps) {
  const id = useId()
  return (
    <div className="simulator-guard">
      <label htmlFor={id}>
        <code>[{guard}]</code>
        <span className="visually-hidden"> of {event}</span>
      </label>
      <select
        id={id}
        value={answer === undefined ? 'ask' : String(answer)}
        onChange={({ target }) => onAnswer(target.value === 'ask' ? undefined : target.value === 'true')}
      >
        <option value="ask">evaluate</option>
        <option value="true">assume it holds</option>
        <option value="false">assume it does not hold</option>
      </select>
      {meaning && <p className="move-meaning">{meaning}</p>}
    </div>
  )
}

const units = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
type Unit = keyof typeof units

function Wait({ end, onStep }: { end: Outcome['end']; onStep: SendProps['onStep'] }) {
  const amountId = useId()
  const [amount, setAmount] = useState('1')
  const [unit, setUnit] = useState<Unit>('minutes')
  const [problem, setProblem] = useState<string>()
  const [next] = end.timers
  const wait = (waitMs: number) => setProblem(onStep({ waitMs }) ? undefined : crowded)
  const untilNext = next && Math.max(0, Date.parse(next.dueAt) - Date.parse(end.at))
  return (
    <div className="stack simulator-wait">
      {next && untilNext !== undefined && (
        <p className="row">
          <Button small icon="clock" onClick={() => wait(untilNext)}>
            Wait for {next.event}
          </Button>
          <span className="faint">in {remainingText(untilNext)}</span>
        </p>
      )}
      <div className="row">
        <label className="visually-hidden" htmlFor={amountId}>
          Time to wait
        </label>
        <input
          id={amountId}
          type="number"
          min={0}
          max={3650}
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
        />
        <select aria-label="Unit" value={unit} onChange={({ target }) => setUnit(target.value as Unit)}>
          {Object.keys(units).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button
          small
          onClick={() => {
            const waitMs = Math.round(Number(amount) * units[unit])
            const fits = amount.trim() !== '' && waitMs >= 0 && waitMs <= 3650 * units.days
            if (fits) wait(waitMs)
            else setProblem('Enter 0 to 3650 days.')
          }}
        >
          Wait
        </Button>
      </div>
      {problem && (
        <p className="field-issues" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
