/**
 * The statechart of an actor for any page, live, with its latest transitions: `<ActorChart kind="run" id={runId} />`. The
 * code that draws it loads when one is shown. It takes the full width, and keeps its height meanwhile; on a narrow screen
 * it is taller.
 */
import { createElement, Suspense } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { Loading } from '../ui/states.tsx'
import { roomyHeight } from './drawing/room.ts'
import type { ActorChartProps } from './props.ts'

const Late = lazyPart(() => import('./actor-chart.tsx'))

export function ActorChart(props: ActorChartProps) {
  const height = roomyHeight(props.height ?? 320)
  const waiting = createElement('div', { style: { height } }, createElement(Loading))
  return createElement(Suspense, { fallback: waiting }, createElement(Late, { ...props, height }))
}
