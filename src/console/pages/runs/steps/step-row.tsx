/** One row of the waterfall. */
import { memo } from 'react'
import { toneOf } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { durationText } from '../../../ui/time.tsx'
import { countText, type Step, stepIcons } from './steps.ts'
import { percentOf, type Span } from './time-axis.ts'

interface StepRowProps {
  row: number
  total: number
  /** In pixels. */
  top: number
  step: Step | undefined
  depth: number
  span: Span
  now: number
  chosen: boolean
  onChoose: (agentStepId: number) => void
}

/** Maximum indentation. */
const depthMax = 8

const same = (one: StepRowProps, other: StepRowProps) =>
  one.step === other.step &&
  one.row === other.row &&
  one.total === other.total &&
  one.depth === other.depth &&
  one.chosen === other.chosen &&
  one.span.from === other.span.from &&
  one.span.to === other.span.to &&
  (one.step?.timing.endedAt !== null || one.now === other.now)

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { row, total, top, step, depth, span, now, chosen, onChoose } = props
  if (!step) return <div className="waterfall-step waterfall-loading" style={{ top }} aria-hidden="true" />
  const { agentStepId, kind, name, status, timing, tokenUsage } = step
  const start = Date.parse(timing.startedAt)
  const end = timing.endedAt ? Date.parse(timing.endedAt) : Math.max(now, start)
  const left = percentOf(span, start)
  const width = Math.max(0, percentOf(span, end) - left)
  const took = timing.durationMs === null ? 'running' : durationText(timing.durationMs)
  const tokens = tokenUsage.totalTokens > 0 ? `${countText(tokenUsage.totalTokens)} tok` : ''
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      id={`step-${agentStepId}`}
      className={`waterfall-step waterfall-${kind}`}
      role="option"
      aria-selected={chosen}
      aria-posinset={row + 1}
      aria-setsize={total}
      title={`${kind} ${name} · ${status} · ${took}`}
      style={{ top }}
      onClick={() => onChoose(agentStepId)}
    >
      <span className="waterfall-name" style={{ paddingInlineStart: `${Math.min(depth, depthMax) * 0.875}rem` }}>
        <span className={`waterfall-icon badge-${toneOf(status)}`}>
          <Icon name={stepIcons[kind]} size={14} />
        </span>
        <span className="visually-hidden">{`${kind} `}</span>
        <span className="ellipsis waterfall-title">{name}</span>
        <span className="visually-hidden">{`, ${status} `}</span>
        {step.attempt > 1 && kind === 'agent' && <span className="tag">{`attempt ${step.attempt}`}</span>}
      </span>
      <span className="waterfall-tokens">{tokens}</span>
      <span className="waterfall-time">
        <span
          className={`waterfall-bar badge-${toneOf(status)}`}
          style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
        />
      </span>
      <span className="waterfall-took">{took}</span>
    </div>
  )
}, same)
