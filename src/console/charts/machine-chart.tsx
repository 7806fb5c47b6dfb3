/** The statechart of a kind, with one state highlighted, for other pages. */
import { useMemo } from 'react'
import { Failed } from '../ui/states.tsx'
import { Chart } from './chart.tsx'
import { roomyDirection } from './drawing/room.ts'
import { litAt } from './lit.ts'
import type { MachineChartProps } from './props.ts'
import { useMachine } from './use-machine.ts'

export default function MachineChart({ kind, activeState, height = 320 }: MachineChartProps) {
  const { model, failure, refresh } = useMachine(kind)
  const lit = useMemo(() => litAt(activeState), [activeState])
  if (failure && !model) return <Failed failure={failure} retry={refresh} />
  return <Chart model={model} lit={lit} height={height} direction={roomyDirection()} small />
}
