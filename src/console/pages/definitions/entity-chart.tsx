/** Statechart of an entity type. */
import { useMemo } from 'react'
import { Chart } from '../../charts/chart.tsx'
import { unlit } from '../../charts/lit.ts'
import { type Machine, modelOf } from '../../charts/model.ts'
import { Shown } from '../../ui/states.tsx'
import { type RevisionPlace, useRevisionMachine } from './use-revision-machine.ts'

export default function EntityChart(place: RevisionPlace) {
  return <Shown resource={useRevisionMachine(place)}>{(machine) => <Drawn machine={machine} />}</Shown>
}

function Drawn({ machine }: { machine: Machine }) {
  const model = useMemo(() => modelOf(machine), [machine])
  return <Chart model={model} lit={unlit} height={440} direction="down" />
}
