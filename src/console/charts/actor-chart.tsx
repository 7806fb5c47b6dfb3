/** Where one actor is on its statechart, live, for other pages. */
import { Failed } from '../ui/states.tsx'
import { StreamNote } from '../ui/stream-note.tsx'
import { useActor } from './actor.ts'
import { Chart } from './chart.tsx'
import type { ActorChartProps } from './lazy.ts'
import { useReplay } from './replay.ts'
import { useLit } from './use-lit.ts'
import { useActorMachine } from './use-machine.ts'

export default function ActorChart({ kind, id, height = 320 }: ActorChartProps) {
  const actor = useActor(kind, id)
  const machine = useActorMachine(kind, id)
  const replay = useReplay(actor.journal)
  const lit = useLit(actor, replay)
  const failure = machine.model ? actor.resource.failure : (machine.failure ?? actor.resource.failure)
  if (failure && !actor.resource.value) return <Failed failure={failure} retry={actor.resource.refresh} />
  return (
    <div className="chart-embedded">
      <Chart model={machine.model} lit={lit} height={height} direction="right" small />
      <span className="chart-embedded-note">
        <StreamNote live={actor.live} />
      </span>
    </div>
  )
}
