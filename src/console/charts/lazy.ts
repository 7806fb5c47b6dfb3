/**
 * Statecharts for any page. The code that draws them loads when one is shown:
 *
 *     <ActorChart kind="run" id={runId} height={320} />        an actor, live, with its latest transitions
 *     <MachineChart kind="delivery" activeState="retrying" />  a kind, with a state highlighted
 *
 * Both take the full width, and keep their height while they load. On a narrow screen they are taller.
 */
import { type ComponentType, createElement, lazy, Suspense } from 'react'
import { Loading } from '../ui/states.tsx'
import { roomyHeight } from './drawing/room.ts'
import type { ActorChartProps, MachineChartProps } from './props.ts'

function late<Props extends { height?: number }>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Late = lazy(load) as unknown as ComponentType<Props>
  return function LateChart(props: Props) {
    const height = roomyHeight(props.height ?? 320)
    const waiting = createElement('div', { style: { height } }, createElement(Loading))
    return createElement(Suspense, { fallback: waiting }, createElement(Late, { ...props, height }))
  }
}

export const ActorChart = late<ActorChartProps>(() => import('./actor-chart.tsx'))
export const MachineChart = late<MachineChartProps>(() => import('./machine-chart.tsx'))
