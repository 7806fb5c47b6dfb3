/** Graph of a workflow run: arrows are dependencies, colours are states. */
import {
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { Point } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { arrowHead, roundedPath } from '../../charts/drawing/path.ts'
import { Tool } from '../../charts/tool.tsx'
import { toneOf } from '../../ui/badge.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { type GraphLayout, useGraphLayout } from './graph-layout.ts'
import type { DrawnStep, Plan } from './plan.ts'
import type { WorkflowStep } from './run.ts'
import { itemsText, kindOf, stepIcons } from './steps/step-words.ts'
import './graph.css'

export interface GraphProps {
  /** undefined while loading. */
  plan: Plan | undefined
  steps: readonly WorkflowStep[]
  chosen: string | undefined
  onChoose: (stepId: string) => void
}

type StepNode = Node<{ drawn: DrawnStep; step: WorkflowStep; isChosen: boolean }, 'step'>
type LineEdge = Edge<{ points: Point[]; state: WorkflowStep['state'] }, 'line'>

const heightMax = 460
const heightMin = 120
/** Minimum zoom at which text is legible. */
const zoomReadable = 0.6

export default function Graph({ plan, ...rest }: GraphProps) {
  if (!plan) return <Note>Loading the graph</Note>
  if (!plan.isKnown)
    return (
      <Note>The dependencies are in the Definition, which you do not have access to. The steps are listed below.</Note>
    )
  return <Drawing {...rest} plan={plan} />
}

const Note = ({ children }: { children: string }) => (
  <div className="graph graph-note" role="status">
    {children}
  </div>
)

/** Drawn top to bottom on narrow screens. */
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
  if (layout === undefined) return <Note>Loading the graph</Note>
  if (layout === 'failed') return <Note>The graph could not be drawn. The steps are listed below.</Note>
  return (
    <ReactFlowProvider key={`${layout.width} ${layout.height}`}>
      <Canvas layout={layout} plan={plan} steps={steps} chosen={chosen} onChoose={onChoose} />
    </ReactFlowProvider>
  )
}

function Canvas({ layout, plan, steps, chosen, onChoose }: GraphProps & { plan: Plan; layout: GraphLayout }) {
  const { nodes, edges } = useMemo(() => elementsOf(layout, plan.steps, steps, chosen), [layout, plan, steps, chosen])
  const frame = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  const { setViewport } = useReactFlow()
  const zoom = Math.min(1, Math.max(zoomReadable, width / layout.width))
  const height = Math.min(heightMax, Math.max(heightMin, layout.height * zoom + 16))

  const isCut = width > 0 && (layout.width * zoom > width + 1 || layout.height * zoom > height)

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  /** Starts at the first step, at a legible size. */
  useEffect(() => {
    if (width === 0) return
    const [x, y] = [(width - layout.width * zoom) / 2, (height - layout.height * zoom) / 2]
    void setViewport({ x: Math.max(0, x), y: Math.max(0, y), zoom })
  }, [setViewport, layout, width, height, zoom])

  return (
    <>
      <section ref={frame} className="graph" style={{ height }} aria-label="Step graph">
        <ReactFlow<StepNode, LineEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
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
      {isCut && <Tools />}
    </>
  )
}

function Tools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  return (
    <div className="graph-tools">
      <Tool label="Zoom in" icon="closer" onClick={() => zoomIn({ duration: 150 })} />
      <Tool label="Zoom out" icon="farther" onClick={() => zoomOut({ duration: 150 })} />
      <Tool label="Fit to view" icon="whole" onClick={() => fitView({ padding: 0.03, maxZoom: 1, duration: 200 })} />
    </div>
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
  const nodes = drawn.flatMap((one): StepNode[] => {
    const [box, step] = [boxes[one.id], known.get(one.id)]
    if (!box || !step) return []
    const { x, y, width, height } = box
    const isChosen = one.id === chosen
    return [
      {
        id: one.id,
        type: 'step',
        position: { x, y },
        width,
        height,
        selected: isChosen,
        ariaLabel: spokenOf(step, one),
        data: { drawn: one, step, isChosen },
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

/** `notify, shop.send for each item: running, 120 of 300 items` */
function spokenOf({ stepId, state, elements, compensation }: WorkflowStep, { does, source }: DrawnStep): string {
  const words = [
    state.replaceAll('_', ' '),
    elements && itemsText(elements),
    source?.when !== undefined && 'conditional',
    compensation && `compensation ${compensation.state.replaceAll('_', ' ')}`,
  ]
  const doing = source?.forEach === undefined ? does : `${does} for each item`
  return `${stepId}${doing && `, ${doing}`}: ${words.filter(Boolean).join(', ')}`
}

function StepBox({ data: { drawn, step, isChosen } }: NodeProps<StepNode>) {
  const { id, does, source } = drawn
  const { state, attempts, elements, compensation } = step
  const kind = kindOf(step, source)
  const done = elements?.filter((each) => each.state === 'succeeded').length ?? 0
  return (
    <div className={`graph-step badge-${toneOf(state)} ${isChosen ? 'is-chosen' : ''}`} data-state={state}>
      <span className="graph-step-id" title={id}>
        <span className="ellipsis">{id}</span>
        {source?.when !== undefined && <Mark icon="branch" title="Has a condition" />}
        {source?.forEach !== undefined && <Mark icon="list" title="For each item of a list" />}
        {source?.compensate && (
          <Mark
            icon="undo"
            title={`Compensated by ${source.compensate.operation}${compensation ? `: ${compensation.state}` : ', if the run fails'}`}
            state={compensation?.state}
          />
        )}
      </span>
      <span className="graph-step-operation" title={does}>
        {kind && <Icon name={stepIcons[kind]} size={11} />}
        {does}
      </span>
      <span className="graph-step-state">
        <span className="badge-dot" aria-hidden="true" />
        {state.replaceAll('_', ' ')}
        {elements && <span className="graph-step-items">{`${done}/${elements.length}`}</span>}
        {attempts > 1 && <span className="graph-step-attempts">×{attempts}</span>}
      </span>
      {elements && (
        <span className="graph-step-progress" aria-hidden="true">
          <span style={{ width: `${(100 * done) / elements.length}%` }} />
        </span>
      )}
      {/* edges draw their own path; the library needs handles */}
      <Handle type="source" position={Position.Right} isConnectable={false} className="graph-handle" />
      <Handle type="target" position={Position.Left} isConnectable={false} className="graph-handle" />
    </div>
  )
}

interface MarkProps {
  icon: IconName
  title: string
  /** Of what it stands for, once it has begun. */
  state?: string | undefined
}

const Mark = ({ icon, title, state }: MarkProps) => (
  <span className={`graph-step-mark ${state ? `badge-${toneOf(state)}` : ''}`} title={title}>
    <Icon name={icon} size={12} />
  </span>
)

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
