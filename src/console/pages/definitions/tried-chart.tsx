/** The statechart of a draft, compared with the latest revision's. */
import { useMemo } from 'react'
import type { DefinitionRevision, RevisionPreview } from '../../../authoring/definitions/schema.ts'
import { Chart } from '../../charts/chart.tsx'
import ComparedChart from '../../charts/compared/compared-chart.tsx'
import { unlit } from '../../charts/lit.ts'
import { type Machine, modelOf } from '../../charts/model.ts'
import { Shown } from '../../ui/states.tsx'
import { useRevisionMachine } from './use-revision-machine.ts'

interface TriedChartProps {
  projectId: string
  definitionId: string
  latest: DefinitionRevision | undefined
  preview: RevisionPreview
}

const height = 440

export default function TriedChart({ latest, preview: { machine }, ...place }: TriedChartProps) {
  if (!machine) return null
  if (!latest) return <Alone machine={machine} />
  return <Against machine={machine} place={{ ...place, revisionId: latest.id }} number={latest.number} />
}

function Alone({ machine }: { machine: Machine }) {
  const model = useMemo(() => modelOf(machine), [machine])
  return <Chart model={model} lit={unlit} height={height} direction="down" />
}

interface AgainstProps {
  machine: Machine
  place: { projectId: string; definitionId: string; revisionId: string }
  number: number
}

const Against = ({ machine, place, number }: AgainstProps) => (
  <Shown resource={useRevisionMachine(place)}>
    {(before) => (
      <ComparedChart
        before={before}
        after={machine}
        whenSame={`The statechart is the same as in revision ${number}.`}
        height={height}
      />
    )}
  </Shown>
)
