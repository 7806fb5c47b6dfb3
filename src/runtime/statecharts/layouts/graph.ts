/** Converts a statechart to a graph for the Eclipse Layout Kernel, and the kernel's result to a layout. */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js'
import type { Box, ChartLayout, Direction, LabelLine, Point } from './chart-layout.ts'
import { type ChartLine, type DrawnChart, linesOf } from './lines.ts'
import {
  clockWidth,
  groupTitleHeight,
  groupTitleWidth,
  initialSize,
  labelIndent,
  labelLineHeight,
  labelPadding,
  labelTextWidth,
  stateHeight,
  stateNameWidth,
} from './text-metrics.ts'

interface LayoutKernel {
  layout(graph: ElkNode): Promise<ElkNode>
}

/** Names are arbitrary, so everything in the graph is identified by a number. */
const initialId = 'initial'
const initialLine = 'initial line'
const stateId = (place: number) => `state ${place}`
const groupId = (place: number) => `group ${place}`
const lineId = (place: number) => `line ${place}`

const options: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=20,left=20,bottom=20,right=20]',
}

/** Options that groups need as well: they do not inherit them. */
const placement: LayoutOptions = {
  'elk.randomSeed': '1',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.edgeLabels.inline': 'true',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  // labels of long lines need not be placed beside each other
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'SPACE_EFFICIENT_LAYER',
  'elk.layered.thoroughness': '40',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '2',
  'elk.spacing.labelNode': '6',
  'elk.spacing.nodeSelfLoop': '14',
}

const lineWidth = ({ text, is }: LabelLine) => {
  const before = is === 'deadline' ? clockWidth : is === 'guard' || is === 'effect' ? labelIndent : 0
  return labelTextWidth(text) + before
}

const labelSize = (lines: readonly LabelLine[]) => ({
  width: Math.ceil(Math.max(...lines.map(lineWidth))) + 2 * labelPadding,
  height: lines.length * labelLineHeight + labelPadding,
})

const stateSize = (name: string) => ({
  width: Math.max(126, Math.ceil(stateNameWidth(name)) + 32),
  height: stateHeight,
})

/**
 * Whether the line leads back. The order of the machine is the order of a lifecycle, and a group has the position of
 * its first state: lines that lead back are passed to the kernel reversed, so that it finds no cycle and keeps that
 * order.
 */
function leadsBack({ states, groups }: DrawnChart): (line: ChartLine) => boolean {
  const places = new Map(states.map((name, place) => [name, place]))
  const placeOf = (name: string) =>
    places.get(name) ?? places.get(groups.find((group) => group.name === name)?.states[0] ?? '') ?? 0
  const inside = ({ from, to }: ChartLine) =>
    groups.some(({ name, states: inner }) => name === from && inner.includes(to))
  return (line) => !inside(line) && placeOf(line.to) < placeOf(line.from)
}

/** The input of the kernel. */
export function graphOf(chart: DrawnChart, lines: readonly ChartLine[], direction: Direction): ElkNode {
  const { states, groups, transitions } = chart
  const isBack = leadsBack(chart)
  const elkDirection = direction === 'right' ? 'RIGHT' : 'DOWN'
  const ids = new Map([
    ...states.map((name, place) => [name, stateId(place)] as const),
    ...groups.map(({ name }, place) => [name, groupId(place)] as const),
  ])
  const idOf = (name: string) => ids.get(name) ?? ''
  const nodesWithin = (parent: string | null): ElkNode[] => {
    const inner = groups.filter((group) => group.parent === parent)
    const within = parent === null ? states : (groups.find(({ name }) => name === parent)?.states ?? [])
    const groupOf = (state: string) => inner.find((group) => group.states.includes(state))
    return [...new Set(within.map((state) => groupOf(state) ?? state))].map((node) =>
      typeof node === 'string'
        ? { id: idOf(node), ...stateSize(node) }
        : {
            id: idOf(node.name),
            children: nodesWithin(node.name),
            layoutOptions: {
              ...placement,
              'elk.direction': elkDirection,
              'elk.padding': `[top=${groupTitleHeight + 8},left=16,bottom=16,right=16]`,
              'elk.nodeSize.constraints': 'MINIMUM_SIZE',
              'elk.nodeSize.minimum': `(${Math.ceil(groupTitleWidth(node.name)) + 32},${groupTitleHeight})`,
            },
          },
    )
  }
  const initial = transitions.find(({ from }) => from === null)?.to
  const begins = initial !== undefined && ids.has(initial)
  return {
    id: 'chart',
    layoutOptions: { ...options, ...placement, 'elk.direction': elkDirection },
    children: [...(begins ? [{ id: initialId, width: initialSize, height: initialSize }] : []), ...nodesWithin(null)],
    edges: [
      ...(begins ? [{ id: initialLine, sources: [initialId], targets: [idOf(initial)] }] : []),
      ...lines.map((line, place) => {
        const [source, target] = isBack(line) ? [line.to, line.from] : [line.from, line.to]
        return {
          id: lineId(place),
          sources: [idOf(source)],
          targets: [idOf(target)],
          labels: [{ id: `label ${place}`, text: lineId(place), ...labelSize(line.label) }],
        }
      }),
    ],
  }
}

const boxOf = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.round(width),
  height: Math.round(height),
})

const pointsOf = ({ sections = [] }: Partial<ElkExtendedEdge>): Point[] =>
  sections
    .flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint])
    .map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }))

/** All nodes below this one, and all lines: the kernel may attach a line to the group that contains it. */
const nodesBelow = (node: ElkNode): ElkNode[] => (node.children ?? []).flatMap((child) => [child, ...nodesBelow(child)])

/** Computes the layout of a statechart; deterministic. Rejects if the kernel fails. */
export async function layOut(kernel: LayoutKernel, chart: DrawnChart, direction: Direction): Promise<ChartLayout> {
  const lines = linesOf(chart)
  const isBack = leadsBack(chart)
  const root = await kernel.layout(graphOf(chart, lines, direction))
  const nodes = nodesBelow(root)
  const boxes = new Map(nodes.map((node) => [node.id, boxOf(node)]))
  const routes = new Map([root, ...nodes].flatMap(({ edges = [] }) => edges.map((edge) => [edge.id, edge] as const)))
  const box = (id: string) => boxes.get(id) ?? boxOf({})
  const dot = boxes.get(initialId)
  return {
    width: Math.ceil(root.width ?? 0),
    height: Math.ceil(root.height ?? 0),
    states: Object.fromEntries(chart.states.map((name, place) => [name, box(stateId(place))])),
    groups: Object.fromEntries(chart.groups.map(({ name }, place) => [name, box(groupId(place))])),
    edges: Object.fromEntries(
      lines.map((line, place) => {
        const { id, label } = line
        const route = routes.get(lineId(place)) ?? {}
        const [labelBox] = (route as Partial<ElkExtendedEdge>).labels ?? []
        const points = pointsOf(route)
        if (isBack(line)) points.reverse()
        return [id, { points, label: { ...boxOf(labelBox ?? {}), lines: label } }]
      }),
    ),
    initial: dot ? { dot, points: pointsOf(routes.get(initialLine) ?? {}) } : null,
  }
}
