/** An edge of the canvas: its path, its label, and the highlight that runs along it on a transition. */
import type { Edge, EdgeProps } from '@xyflow/react'
import type { CSSProperties } from 'react'
import type { Change } from '../../../runtime/statecharts/differences.ts'
import type { EdgeLabel, EdgeRoute, LabelLine } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import {
  clockWidth,
  labelFont,
  labelIndent,
  labelLineHeight,
  labelPadding,
} from '../../../runtime/statecharts/layouts/text-metrics.ts'
import { signOf } from '../compared/marks.ts'
import type { Fired } from '../lit.ts'
import type { ChartEdge } from '../model.ts'
import { arrowHead, roundedPath } from './path.ts'

type MoveEdgeData = {
  /** None for the edge from the initial dot. */
  edge: ChartEdge | null
  route: Pick<EdgeRoute, 'points'> & Partial<EdgeRoute>
  moves: number
  /** The transition that has just happened here. */
  fired: Fired | null
  /** Its change, if the chart is compared with another. */
  change?: Change | undefined
  isDimmed: boolean
}

export type MoveEdge = Edge<MoveEdgeData, 'move'>

export function MoveLine({ data, selected }: EdgeProps<MoveEdge>) {
  if (!data) return null
  const { edge, route, moves, fired, change, isDimmed } = data
  const path = roundedPath(route.points)
  const classes = ['chart-move']
  if (edge?.events.every(({ isDeadline }) => isDeadline)) classes.push('is-deadline')
  if (moves > 0) classes.push('is-taken')
  if (fired) classes.push('is-fired')
  if (change) classes.push(`is-${change}`)
  if (isDimmed) classes.push('is-dimmed')
  if (selected) classes.push('is-selected')
  return (
    <g className={classes.join(' ')}>
      <path className="chart-casing" d={path} />
      <path className="chart-reach" d={path} />
      <path className="chart-line" d={path} />
      <polygon className="chart-arrow" points={arrowHead(route.points)} />
      {fired && <Light key={fired.turn} path={path} delayMs={fired.delayMs} />}
      {route.label && <Words label={route.label} moves={moves} fired={fired?.event} change={change} />}
    </g>
  )
}

/** The highlight; it runs along the edge once. */
const Light = ({ path, delayMs }: { path: string; delayMs: number }) => (
  <g className="chart-light" style={{ '--delay': `${delayMs}ms` } as CSSProperties}>
    <path className="chart-trail" d={path} pathLength={1} />
    <circle className="chart-spark" r={5} style={{ offsetPath: `path("${path}")` }} />
  </g>
)

interface WordsProps {
  label: EdgeLabel
  moves: number
  fired: string | undefined
  change: Change | undefined
}

/** Indentation of a line of the label. */
const indentOf = ({ is }: LabelLine) =>
  is === 'deadline' ? clockWidth : is === 'guard' || is === 'effect' ? labelIndent : 0

function Words({ label, moves, fired, change }: WordsProps) {
  const { x, y, width, height, lines } = label
  return (
    <g className="chart-words">
      <rect className="chart-words-ground" x={x} y={y} width={width} height={height} rx={5} />
      {lines.map((line, place) => {
        const { text, is, event } = line
        const baseline = y + labelFont + 2 + place * labelLineHeight
        const isName = is === 'event' || is === 'deadline'
        const classes = `chart-word is-${is}${isName && event === fired ? ' is-fired' : ''}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
          <g key={place}>
            {is === 'deadline' && <Clock x={x + labelPadding + 5} y={baseline - 4} />}
            <text className={classes} x={x + labelPadding + indentOf(line)} y={baseline} fontSize={labelFont}>
              {text}
            </text>
          </g>
        )
      })}
      {change && (
        <text className="chart-change" x={x + 2} y={y - 3} fontSize={labelFont}>
          {signOf[change]}
        </text>
      )}
      {moves > 1 && (
        <text className="chart-times" x={x + width - 4} y={y - 3} fontSize={labelFont} textAnchor="end">
          {`×${moves}`}
        </text>
      )}
    </g>
  )
}

/** The clock icon of a deadline. */
const Clock = ({ x, y }: { x: number; y: number }) => (
  <path
    className="chart-clock"
    d={`M${x - 4.5},${y} a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 M${x},${y - 2.5} v2.5 l1.8,1.2`}
  />
)
