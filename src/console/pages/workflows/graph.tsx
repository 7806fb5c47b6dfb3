/** The steps of a workflow as a drawing: an arrow says what waits for what, the colour how a step stands. */
import {
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useMemo, useSyncExternalStore } from 'react'
import type { Point } from '../../charts/layout.ts'
import { arrowHead, roundedPath } from '../../charts/path.ts'
import { toneOf } from '../../ui/badge.tsx'
import { type GraphLayout, useGraphLayout } from './graph-layout.ts'
import type { DrawnStep, Plan } from './plan.ts'
import type { WorkflowStep } from './run.ts'
import './graph.css'

export interface GraphProps {
  /** undefined: on its way. */
  plan: Plan | undefined
  steps: readonly WorkflowStep[]
  chosen: string | undefined
  onChoose: (stepId: string) => void
}

type StepNode = Node<{ step: DrawnStep; state: WorkflowStep['state']; attempts: number; isChosen: boolean }, 'step'>
type LineEdge = Edge<{ points: Point[]; state: WorkflowStep['state'] }, 'line'>

const heightMax = 460
const heightMin = 120

export default function Graph({ plan, ...rest }: GraphProps) {
  if (!plan) return <Note>Loading the drawing</Note>
  if (!plan.isKnown)
    return <Note>What waits for what is in the Definition, which you cannot read. The steps are below.</Note>
  return <Drawing {...rest} plan={plan} />
}

const Note = ({ children }: { children: string }) => (
  <div className="graph graph-note" role="status">
    {children}
  </div>
)

/** Downwards where there is no room beside each other. */
const narrow = '(max-width: 48rem)'
const watchWidth = (changed: () => void) => {
  const query = matchMedia(narrow)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
const useIsNarrow = () => useSyncExternalStore(watchWidth, () => matchMedia(narrow).matches)

function Drawing({ plan, steps, chosen, onChoose }: GraphProps & { plan: Plan }) {
  const isNarrow = useIsNarrow()
  const layout = useGraphLayout(plan.steps, isNarrow ? 'down' : 'right')
  if (layout === undefined) return <Note>Drawing the workflow</Note>
  if (layout === 'failed') return <Note>The workflow could not be drawn. The steps are below.</Note>
  return (
    <ReactFlowProvider key={`${layout.width} ${layout.height}`}>
      <Canvas layout={layout} plan={plan} steps={steps} chosen={chosen} onChoose={onChoose} />
    </ReactFlowProvider>
  )
}

function Canvas({ layout, plan, steps, chosen, onChoose }: GraphProps & { plan: Plan; layout: GraphLayout }) {
  const { nodes, edges } = useMemo(() => elementsOf(layout, plan.steps, steps, chosen), [layout, plan, steps, chosen])
  const height = Math.min(heightMax, Math.max(heightMin, layout.height + 16))
  return (
    <section className="graph" style={{ height }} aria-label="Drawing of the steps">
      <ReactFlow<StepNode, LineEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={{ padding: 0.03, maxZoom: 1, minZoom: 0.3 }}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode={['Control', 'Meta']}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        onNodesChange={(changes) => {
          const change = changes.find((one) => one.type === 'select' && one.selected)
          if (change && 'id' in change) onChoose(change.id)
        }}
        ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to open the step below.' }}
        proOptions={{ hideAttribution: true }}
      />
    </section>
  )
}

function elementsOf(
  { steps: boxes, lines }: GraphLayout,
  drawn: readonly DrawnStep[],
  steps: readonly WorkflowStep[],
  chosen: string | undefined,
): { nodes: StepNode[]; edges: LineEdge[] } {
  const known = new Map(steps.map((step) => [step.stepId, step]))
  const stateOf = (id: string) => known.get(id)?.state ?? 'pending'
  const nodes = drawn.flatMap((step): StepNode[] => {
    const box = boxes[step.id]
    if (!box) return []
    const { x, y, width, height } = box
    const middle = { position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 }
    const state = stateOf(step.id)
    return [
      {
        id: step.id,
        type: 'step',
        position: { x, y },
        width,
        height,
        handles: [
          { ...middle, type: 'source' },
          { ...middle, type: 'target' },
        ],
        selected: step.id === chosen,
        ariaLabel: `${step.id}: ${state.replaceAll('_', ' ')}`,
        data: { step, state, attempts: known.get(step.id)?.attempts ?? 0, isChosen: step.id === chosen },
      },
    ]
  })
  const edges = lines.map(
    ({ id, from, to, points }): LineEdge => ({
      id,
      type: 'line',
      source: from,
      target: to,
      selectable: false,
      data: { points, state: stateOf(from) },
    }),
  )
  return { nodes, edges }
}

function StepBox({ data: { step, state, attempts, isChosen } }: NodeProps<StepNode>) {
  return (
    <div className={`graph-step badge-${toneOf(state)} ${isChosen ? 'is-chosen' : ''}`} data-state={state}>
      <span className="graph-step-id" title={step.id}>
        {step.id}
      </span>
      <span className="graph-step-operation" title={step.operation}>
        {step.operation}
      </span>
      <span className="graph-step-state">
        <span className="badge-dot" aria-hidden="true" />
        {state.replaceAll('_', ' ')}
        {attempts > 1 && <span className="graph-step-attempts">×{attempts}</span>}
      </span>
    </div>
  )
}

function Line({ data }: EdgeProps<LineEdge>) {
  if (!data) return null
  return (
    <g className={`graph-line is-${data.state}`}>
      <path d={roundedPath(data.points)} />
      <polygon points={arrowHead(data.points, 7)} />
    </g>
  )
}

const nodeTypes = { step: StepBox }
const edgeTypes = { line: Line }
