/** One line on the canvas: the way of it, its words, and the light that runs along it when a move is made. */
import type { Edge, EdgeProps } from '@xyflow/react'
import type { CSSProperties } from 'react'
import type { Fired } from '../lit.ts'
import type { ChartEdge } from '../model.ts'
import type { EdgeRoute } from './layout.ts'
import { labelFont, labelLineHeight, labelOf } from './measure.ts'
import { arrowHead, roundedPath } from './path.ts'

export type MoveEdgeData = {
  /** None: the line from the dot where everything begins. */
  edge: ChartEdge | null
  route: EdgeRoute
  moves: number
  /** The move that has just been made here. */
  fired: Fired | null
  isDimmed: boolean
}

export type MoveEdge = Edge<MoveEdgeData, 'move'>

export function MoveLine({ data, selected }: EdgeProps<MoveEdge>) {
  if (!data) return null
  const { edge, route, moves, fired, isDimmed } = data
  const path = roundedPath(route.points)
  const classes = ['chart-move']
  if (moves > 0) classes.push('is-taken')
  if (fired) classes.push('is-fired')
  if (isDimmed) classes.push('is-dimmed')
  if (selected) classes.push('is-selected')
  return (
    <g className={classes.join(' ')}>
      <path className="chart-reach" d={path} />
      <path className="chart-line" d={path} />
      <polygon className="chart-arrow" points={arrowHead(route.points)} />
      {fired && <Light key={fired.turn} path={path} delayMs={fired.delayMs} />}
      {edge && route.label && <Words edge={edge} box={route.label} moves={moves} fired={fired?.event} />}
    </g>
  )
}

/** Runs along the line once. */
const Light = ({ path, delayMs }: { path: string; delayMs: number }) => (
  <g className="chart-light" style={{ '--delay': `${delayMs}ms` } as CSSProperties}>
    <path className="chart-trail" d={path} pathLength={1} />
    <circle className="chart-spark" r={5} style={{ offsetPath: `path("${path}")` }} />
  </g>
)

interface WordsProps {
  edge: ChartEdge
  box: NonNullable<EdgeRoute['label']>
  moves: number
  fired: string | undefined
}

function Words({ edge, box, moves, fired }: WordsProps) {
  const lines = labelOf(edge)
  return (
    <g className="chart-words">
      <rect className="chart-words-ground" x={box.x} y={box.y} width={box.width} height={box.height} rx={5} />
      {lines.map(({ text, isDeadline, isGuard }, place) => {
        const baseline = box.y + 13 + place * labelLineHeight
        const classes = ['chart-word']
        if (isGuard) classes.push('is-guard')
        if (isDeadline) classes.push('is-deadline')
        if (!isGuard && text === fired) classes.push('is-fired')
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are always the same
          <g key={place}>
            {isDeadline && <Clock x={box.x + 11} y={baseline - 4} />}
            <text className={classes.join(' ')} x={box.x + (isDeadline ? 20 : 6)} y={baseline} fontSize={labelFont}>
              {text}
            </text>
          </g>
        )
      })}
      {moves > 1 && (
        <text className="chart-times" x={box.x + box.width - 4} y={box.y - 3} fontSize={10} textAnchor="end">
          {`×${moves}`}
        </text>
      )}
    </g>
  )
}

/** A move that comes by itself after a while. */
const Clock = ({ x, y }: { x: number; y: number }) => (
  <path
    className="chart-clock"
    d={`M${x - 4.5},${y} a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 M${x},${y - 2.5} v2.5 l1.8,1.2`}
  />
)
