/** Dependency graph of a workflow's steps, from left to right. */
import type { WorkflowStep } from '../../../authoring/definitions/source.ts'
import './definitions.css'
import { placeSteps } from './steps.ts'

const box = { width: 176, height: 52 }
const gap = { x: 56, y: 20 }
const margin = 12

const leftOf = (column: number) => margin + column * (box.width + gap.x)
const topOf = (row: number) => margin + row * (box.height + gap.y)
const short = (text: string) => (text.length > 24 ? `${text.slice(0, 23)}…` : text)

export function StepGraph({ steps }: { steps: readonly WorkflowStep[] }) {
  const placed = placeSteps(steps)
  const byId = new Map(placed.map((step) => [step.id, step]))
  const width = leftOf(Math.max(...placed.map(({ column }) => column)) + 1) - gap.x + margin
  const height = topOf(Math.max(...placed.map(({ row }) => row)) + 1) - gap.y + margin
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
    <section className="step-graph" aria-label="Step graph" tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
        <title>
          {placed
            .map(({ id, waitsFor }) =>
              waitsFor.length === 0 ? `${id} has no dependencies` : `${id} depends on ${waitsFor.join(', ')}`,
            )
            .join('; ')}
        </title>
        {placed.flatMap((step) =>
          step.waitsFor.map((id) => {
            const from = byId.get(id)
            if (!from) return null
            const [x1, y1] = [leftOf(from.column) + box.width, topOf(from.row) + box.height / 2]
            const [x2, y2] = [leftOf(step.column), topOf(step.row) + box.height / 2]
            const middle = (x1 + x2) / 2
            return (
              <path
                key={`${id} ${step.id}`}
                className="step-graph-line"
                d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
              />
            )
          }),
        )}
        {placed.map(({ id, does, column, row }) => (
          <g key={id} transform={`translate(${leftOf(column)} ${topOf(row)})`}>
            <rect className="step-graph-box" {...box} rx={8} />
            <text className="step-graph-name" x={12} y={22}>
              {short(id)}
            </text>
            <text className="step-graph-operation" x={12} y={39}>
              {short(does)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  )
}
