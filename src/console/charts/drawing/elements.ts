/** The nodes and edges of the canvas. */
import { Position } from '@xyflow/react'
import type { Change } from '../../../runtime/statecharts/differences.ts'
import type { Box, ChartLayout } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { groupTitleHeight } from '../../../runtime/statecharts/layouts/text-metrics.ts'
import type { Marks } from '../compared/marks.ts'
import type { Lit } from '../lit.ts'
import type { ChartModel } from '../model.ts'
import { isEdge, isState, neighbourhood, type Selection } from '../selection.ts'
import { edgeLabel, stateLabel } from '../spoken.ts'
import type { MoveEdge } from './move-edge.tsx'
import type { Population } from './population.ts'
import type { DotNode, GroupNode, StateNode, TitleNode } from './state-node.tsx'

const dotId = ' initial'

/** Prefixes the name of a group, because a state may have the same name. */
const groupId = (name: string) => `group ${name}`

export type ChartNode = StateNode | GroupNode | TitleNode | DotNode

/** Known sizes and handles, so that the canvas draws edges without measuring nodes. Edges follow their own paths. */
function placed({ x, y, width, height }: Box) {
  const end = { position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 }
  return {
    position: { x, y },
    width,
    height,
    measured: { width, height },
    handles: [
      { ...end, type: 'source' as const },
      { ...end, type: 'target' as const },
    ],
  }
}

interface Drawn {
  model: ChartModel
  layout: ChartLayout
  lit: Lit
  selection: Selection
  population?: Population | undefined
  marks?: Marks | undefined
}

const spokenChange = (label: string, change: Change | undefined) => (change ? `${label}, ${change}` : label)

export function elementsOf({ model, layout, lit, selection, population, marks }: Drawn): {
  nodes: ChartNode[]
  edges: MoveEdge[]
} {
  const near = neighbourhood(model, selection)
  const groups = new Set(model.groups.map(({ name }) => name))
  const nodeOf = (name: string) => (groups.has(name) ? groupId(name) : name)
  const frames = model.groups.flatMap(({ name, states }): (GroupNode | TitleNode)[] => {
    const box = layout.groups[name]
    if (!box) return []
    const isDimmed = near !== undefined && !states.some((state) => near.states.has(state))
    // neither clickable nor focusable
    const change = marks?.states.get(name)
    const still = { selectable: false, focusable: false, data: { name, change, isDimmed } }
    const title = { ...box, height: groupTitleHeight }
    return [
      { id: groupId(name), type: 'frame', ...placed(box), ...still, zIndex: -1 },
      { id: `title of ${name}`, type: 'title', ...placed(title), ...still, zIndex: 3 },
    ]
  })
  const states = model.states.flatMap((state): StateNode[] => {
    const box = layout.states[state.name]
    if (!box) return []
    const isActive = lit.active === state.name
    const visits = lit.states.get(state.name) ?? 0
    const populated = population?.get(state.name)
    const change = marks?.states.get(state.name)
    const label = spokenChange(stateLabel(state, isActive, visits), change)
    return [
      {
        id: state.name,
        type: 'state',
        ...placed(box),
        selected: isState(selection, state.name),
        ariaLabel: populated ? `${label}, ${populated.spoken}` : label,
        data: {
          state,
          isActive,
          visits,
          populated,
          change,
          isDimmed: near !== undefined && !near.states.has(state.name),
        },
      },
    ]
  })
  const nodes: ChartNode[] = [...frames, ...states]
  const edges: MoveEdge[] = model.edges.flatMap((edge): MoveEdge[] => {
    const route = layout.edges[edge.id]
    if (!route) return []
    const moves = lit.edges.get(edge.id) ?? 0
    const change = marks?.edges.get(edge.id)
    const fired = lit.fired.findLast((one) => one.edge === edge.id) ?? null
    return [
      {
        id: edge.id,
        type: 'move',
        source: nodeOf(edge.from),
        target: nodeOf(edge.to),
        selected: isEdge(selection, edge.id),
        ariaLabel: spokenChange(edgeLabel(edge, moves), change),
        zIndex: fired ? 2 : moves > 0 ? 1 : 0,
        data: { edge, route, moves, fired, change, isDimmed: near !== undefined && !near.edges.has(edge.id) },
      },
    ]
  })
  const initial = model.states.find(({ isInitial }) => isInitial)
  if (layout.initial && initial) {
    const { dot, points } = layout.initial
    nodes.push({ id: dotId, type: 'dot', ...placed(dot), data: {}, focusable: false, selectable: false })
    const data = { edge: null, route: { points }, moves: 0, fired: null, isDimmed: near !== undefined }
    const line = { id: dotId, source: dotId, target: initial.name, focusable: false, selectable: false }
    edges.push({ ...line, type: 'move', data })
  }
  return { nodes, edges }
}
