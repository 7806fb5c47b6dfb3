/**
 * Statecharts for any page. The code that draws them loads when one is shown:
 *
 *     <ActorChart kind="run" id={runId} height={320} />        an actor, live, with its latest transitions
 *     <MachineChart kind="delivery" activeState="retrying" />  a kind, with a state highlighted
 *
 * Both take the full width, and keep their height while they load.
 */
import { type ComponentType, createElement, lazy, Suspense } from 'react'
import { Loading } from '../ui/states.tsx'
import type { ActorChartProps, MachineChartProps } from './props.ts'

function late<Props extends { height?: number }>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Late = lazy(load) as unknown as ComponentType<Props>
  return function LateChart(props: Props) {
    const waiting = createElement('div', { style: { height: props.height ?? 320 } }, createElement(Loading))
    return createElement(Suspense, { fallback: waiting }, createElement(Late, props))
  }
}

export const ActorChart = late<ActorChartProps>(() => import('./actor-chart.tsx'))
export const MachineChart = late<MachineChartProps>(() => import('./machine-chart.tsx'))
