/**
 * Waterfall of a run's steps, indented below their parents. Only visible rows are in the document; steps load on scroll. Arrow
 * keys move the selection.
 */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useNow } from '../../../ui/time.tsx'
import { StepRow } from './step-row.tsx'
import { depthsOf, type Step } from './steps.ts'
import { type Span, ticksOf } from './time-axis.ts'
import './waterfall.css'

export interface WaterfallProps {
  steps: readonly Step[]
  /** Rows loaded without a gap. */
  paged: number
  total: number
  /** Requests steps up to this number. */
  want: (count: number) => void
  chosen: number | undefined
  onChoose: (agentStepId: number) => void
  /** Time span of the run. */
  span: { from: string; to: string | null }
  /** Fits the axis to the visible rows. */
  zoomed: boolean
}

const rowHeight = 34
const heightMax = 544
const beyond = 10
const keys: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }

export function Waterfall({ steps, paged, total, want, chosen, onChoose, span, zoomed }: WaterfallProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const now = useNow()
  const depths = useMemo(() => depthsOf(steps), [steps])
  const height = Math.min(heightMax, Math.max(1, total) * rowHeight)
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const last = Math.min(total, Math.ceil((top + height) / rowHeight) + beyond)
  const missing = total - steps.length
  /** The step of a row; undefined until loaded. */
  const stepAt = (row: number) => (row < paged ? steps[row] : row < paged + missing ? undefined : steps[row - missing])

  useEffect(() => {
    if (missing > 0 && last > paged) want(last)
  }, [missing, last, paged, want])

  // scroll to the step in the address
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is loaded, not on later selections
  useEffect(() => {
    const row = steps.findIndex(({ agentStepId }) => agentStepId === chosen)
    if (frame.current && row !== -1) frame.current.scrollTop = Math.max(0, row * rowHeight - height / 2)
  }, [])

  const whole: Span = {
    from: Date.parse(span.from),
    to: span.to === null ? Math.max(now, latestOf(steps)) : Date.parse(span.to),
  }
  const rows = Array.from({ length: last - first }, (_, offset) => ({
    row: first + offset,
    step: stepAt(first + offset),
  }))
  const shown = zoomed
    ? spanOf(
        rows.flatMap(({ step }) => step ?? []),
        whole,
      )
    : whole
  const ticks = ticksOf(shown, whole.from)

  const onKeyDown = (event: KeyboardEvent) => {
    const move = keys[event.key] ?? (event.key === 'Home' ? -total : event.key === 'End' ? total : 0)
    if (move === 0) return
    event.preventDefault()
    const place = steps.findIndex(({ agentStepId }) => agentStepId === chosen)
    const row = place < paged ? place : place + missing
    const next = Math.min(total - 1, Math.max(0, row + move))
    const step = stepAt(next)
    if (step) onChoose(step.agentStepId)
    const element = frame.current
    if (!element) return
    if (next * rowHeight < element.scrollTop) element.scrollTop = next * rowHeight
    else if ((next + 1) * rowHeight > element.scrollTop + height) element.scrollTop = (next + 1) * rowHeight - height
  }

  return (
    <div className="surface waterfall">
      <div className="waterfall-axis" aria-hidden="true">
        <div className="waterfall-scale">
          {ticks.map(({ at, label }) => (
            <span key={at} style={{ left: `${at}%` }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={frame}
        className="waterfall-rows"
        style={{ height }}
        role="listbox"
        aria-label={`${total} steps`}
        aria-activedescendant={chosen === undefined ? undefined : `step-${chosen}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <div className="waterfall-space" style={{ height: total * rowHeight }}>
          {rows.map(({ row, step }) => (
            <StepRow
              key={step?.agentStepId ?? `row ${row}`}
              row={row}
              total={total}
              top={row * rowHeight}
              step={step}
              depth={step ? (depths.get(step.agentStepId) ?? 0) : 0}
              span={shown}
              now={now}
              chosen={step !== undefined && step.agentStepId === chosen}
              onChoose={onChoose}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

const latestOf = (steps: readonly Step[]): number =>
  steps.length === 0 ? 0 : Date.parse((steps.at(-1) as Step).updatedAt)

/** Time span of the steps; attempts count only if there are no other steps. */
function spanOf(steps: readonly Step[], whole: Span): Span {
  const inner = steps.filter(({ kind }) => kind !== 'agent')
  const counted = inner.length > 0 ? inner : steps
  if (counted.length === 0) return whole
  const from = Math.min(...counted.map(({ timing }) => Date.parse(timing.startedAt)))
  const to = Math.max(...counted.map(({ timing }) => (timing.endedAt ? Date.parse(timing.endedAt) : whole.to)))
  return { from, to: Math.max(to, from + 1) }
}
