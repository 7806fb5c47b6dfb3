/** Statechart of an entity type. */
import { useMemo } from 'react'
import { Chart } from '../../charts/chart.tsx'
import { unlit } from '../../charts/lit.ts'
import { type Machine, modelOf } from '../../charts/model.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { Shown } from '../../ui/states.tsx'

export interface EntityChartProps {
  projectId: string
  definitionId: string
  revisionId: string
}

export default function EntityChart({ projectId, definitionId, revisionId }: EntityChartProps) {
  const api = useApi()
  const machine = useResource(['definitions', projectId, definitionId, 'machine', revisionId], (options) =>
    api.v1.projects({ projectId }).definitions({ definitionId }).revisions({ revisionId }).machine.get(options),
  )
  return <Shown resource={machine}>{(machine) => <Drawn machine={machine} />}</Shown>
}

function Drawn({ machine }: { machine: Machine }) {
  const model = useMemo(() => modelOf(machine), [machine])
  return <Chart model={model} lit={unlit} height={440} direction="down" />
}
