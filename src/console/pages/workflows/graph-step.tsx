/** A step in the graph of a workflow. */
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { toneOf } from '../../ui/badge.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { DrawnStep } from './plan.ts'
import type { WorkflowStep } from './run.ts'
import { itemsText, kindOf, stepIcons } from './steps/step-words.ts'

/** `step`: of a run. */
export type StepNode = Node<{ drawn: DrawnStep; step: WorkflowStep | undefined; isChosen: boolean }, 'step'>

/** `notify, shop.send for each item: running, 120 of 300 items` */
export function spokenOf({ id, does, source }: DrawnStep, step: WorkflowStep | undefined): string {
  const words = [
    step?.state.replaceAll('_', ' '),
    step?.elements && itemsText(step.elements),
    source?.when !== undefined && 'conditional',
    step?.compensation && `compensation ${step.compensation.state.replaceAll('_', ' ')}`,
  ].filter(Boolean)
  const doing = source?.forEach === undefined ? does : `${does} for each item`
  return `${id}${doing && `, ${doing}`}${words.length > 0 ? `: ${words.join(', ')}` : ''}`
}

export function StepBox({ data: { drawn, step, isChosen } }: NodeProps<StepNode>) {
  const { id, does, source } = drawn
  const { state, attempts = 0, elements, compensation } = step ?? {}
  const kind = kindOf(step, source)
  const done = elements?.filter((each) => each.state === 'succeeded').length ?? 0
  const tone = state ? `badge-${toneOf(state)}` : ''
  return (
    <div className={`graph-step ${tone} ${isChosen ? 'is-chosen' : ''}`} data-state={state ?? 'none'}>
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
      {state && (
        <span className="graph-step-state">
          <span className="badge-dot" aria-hidden="true" />
          {state.replaceAll('_', ' ')}
          {elements && <span className="graph-step-items">{`${done}/${elements.length}`}</span>}
          {attempts > 1 && <span className="graph-step-attempts">×{attempts}</span>}
        </span>
      )}
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
