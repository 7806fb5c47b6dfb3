/** A tool or delegate call in a conversation, expandable to input and output. */
import { StateBadge } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Json } from '../../../ui/text/code.tsx'
import type { Entry } from '../playground/messages.ts'

type Call = Extract<Entry, { is: 'call' }>

const lineMax = 90

/** The input on one line. */
function summaryOf(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return text.length > lineMax ? `${text.slice(0, lineMax)}…` : text
}

const states = {
  open: ['busy', 'running'],
  waiting: ['waiting', 'waiting'],
  result: ['good', 'done'],
  error: ['bad', 'failed'],
} as const

/** `busy`: the run is active, so an open call is in progress. */
export function ToolCall({ call, busy }: { call: Call; busy: boolean }) {
  const { name, input, outcome, isDelegate } = call
  const [tone, word] = states[outcome.is === 'open' && !busy ? 'waiting' : outcome.is]
  return (
    <details className="turn turn-call">
      <summary>
        <Icon name={isDelegate ? 'people' : 'bolt'} size={14} />
        <strong>{name}</strong>
        <code className="ellipsis call-input">{summaryOf(input)}</code>
        <StateBadge state={word} tone={tone} />
      </summary>
      <div className="call-content">
        <Json label={`input of ${name}`} value={input} />
        {outcome.is === 'result' && <Json label={`result of ${name}`} value={outcome.value} />}
        {outcome.is === 'error' && <p className="turn-failure">{outcome.message}</p>}
      </div>
    </details>
  )
}
