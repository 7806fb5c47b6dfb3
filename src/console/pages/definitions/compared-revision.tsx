/** The statecharts of two revisions of an entity's Definition, compared. */
import ComparedChart from '../../charts/compared/compared-chart.tsx'
import { Shown } from '../../ui/states.tsx'
import { type RevisionPlace, useRevisionMachine } from './use-revision-machine.ts'

interface ComparedRevisionProps extends Omit<RevisionPlace, 'revisionId'> {
  before: string
  after: string
}

export default function ComparedRevision({ before, after, ...place }: ComparedRevisionProps) {
  const earlier = useRevisionMachine({ ...place, revisionId: before })
  const later = useRevisionMachine({ ...place, revisionId: after })
  return (
    <Shown resource={earlier}>
      {(before) => (
        <Shown resource={later}>
          {(after) => (
            <ComparedChart
              before={before}
              after={after}
              whenSame="The statecharts of the two revisions are the same."
              height={440}
            />
          )}
        </Shown>
      )}
    </Shown>
  )
}
