/** Simulates a new entity with a revision of its Definition, also before the revision is deployed. */
import { useModel } from '../../charts/use-machine.ts'
import { at, projectOf } from '../../places.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { Simulator } from '../statecharts/simulator/simulator.tsx'
import { useRevisionMachine } from './use-revision-machine.ts'

export default function RevisionSimulatorPage() {
  const revision = useIds('projectId', 'definitionId', 'revisionId')
  return <OfRevision key={revision.revisionId} {...revision} />
}

function OfRevision(revision: { projectId: string; definitionId: string; revisionId: string }) {
  const place = projectOf(usePlace())
  const machine = useModel(useRevisionMachine(revision))
  return (
    <Simulator
      subject={{ of: 'revision', ...revision }}
      machine={machine}
      up={at(place, 'definitions', revision.definitionId)}
    />
  )
}
