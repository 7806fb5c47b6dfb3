/** One state on the canvas. */
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { type CSSProperties, Fragment } from 'react'
import type { Change } from '../../../runtime/statecharts/differences.ts'
import { toneOf } from '../../ui/badge.tsx'
import { signOf } from '../compared/marks.ts'
import type { ChartState } from '../model.ts'
import { namePxMaxOf, wordsOf } from './measure.ts'
import { countText, heats, type Populated } from './population.ts'

type StateNodeData = {
  state: ChartState
  isActive: boolean
  visits: number
  /** The number of actors in it, if the chart shows them. */
  populated?: Populated | undefined
  /** Its change, if the chart is compared with another. */
  change?: Change | undefined
  isDimmed: boolean
}

export type StateNode = Node<StateNodeData, 'state'>

/** Edges follow their own paths; the canvas only requires that they have handles. */
const Ends = () => (
  <>
    <Handle type="source" position={Position.Top} isConnectable={false} className="chart-end" />
    <Handle type="target" position={Position.Top} isConnectable={false} className="chart-end" />
  </>
)

/** A name that may break between its words: `awaiting·Tool·Result`. */
const Breakable = ({ name }: { name: string }) =>
  wordsOf(name).map((word, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a name never change
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {word}
    </Fragment>
  ))

const namePxMax = (name: string, width: number) => ({ '--name-max': `${namePxMaxOf(name, width)}px` }) as CSSProperties

export function StateBox({ data, selected, width = 0 }: NodeProps<StateNode>) {
  const { state, isActive, visits, populated, change, isDimmed } = data
  const classes = ['chart-state', `chart-tone-${toneOf(state.name)}`]
  if (isActive) classes.push('is-active')
  if (visits > 0) classes.push('is-visited')
  if (state.isFinal) classes.push('is-final')
  if (change) classes.push(`is-${change}`)
  if (isDimmed) classes.push('is-dimmed')
  if (selected) classes.push('is-selected')
  return (
    <div className={classes.join(' ')} data-state={state.name} style={namePxMax(state.name, width)}>
      {isActive && <span className="chart-breath" aria-hidden="true" />}
      <span className="chart-state-name">
        <Breakable name={state.name} />
      </span>
      {visits > 1 && <span className="chart-count">{visits}</span>}
      {populated && (
        <span className={`chart-count chart-heat-${populated.heat}`} data-count={populated.count}>
          {populated.heat !== 'none' && <span aria-hidden="true">{heats[populated.heat].mark} </span>}
          {countText(populated.count)}
        </span>
      )}
      {change && (
        <span className="compared-sign" aria-hidden="true">
          {signOf[change]}
        </span>
      )}
      <Ends />
    </div>
  )
}

export type GroupNode = Node<{ name: string; change?: Change | undefined; isDimmed: boolean }, 'frame'>

/** The frame of a group. */
export const GroupFrame = ({ data: { name, change, isDimmed } }: NodeProps<GroupNode>) => (
  <div className={`chart-group${change ? ` is-${change}` : ''}${isDimmed ? ' is-dimmed' : ''}`} data-group={name}>
    <Ends />
  </div>
)

export type TitleNode = Node<{ name: string; isDimmed: boolean }, 'title'>

/** The name of a group, drawn above the edges that cross its frame. */
export const GroupTitle = ({ data: { name, isDimmed } }: NodeProps<TitleNode>) => (
  <span className={isDimmed ? 'chart-group-name is-dimmed' : 'chart-group-name'}>{name}</span>
)

export type DotNode = Node<Record<string, never>, 'dot'>

/** The initial dot. */
export const Dot = () => (
  <>
    <span className="chart-dot" />
    <Ends />
  </>
)
