/** Definition: latest revision, all revisions, new revision. */
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { Definition, DefinitionRevision } from '../../../authoring/definitions/schema.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { lazyPart } from '../../lazy-part.ts'
import { at, projectOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { RevisionTable, revisionsShown, useRevisionInAddress } from '../revisions/table.tsx'
import { newestMax, RevisedThing } from '../revisions/thing.tsx'
import { DefinitionEnd, DefinitionName } from './about.tsx'
import { PublishSource } from './publish-source.tsx'
import { SourceView } from './source-view.tsx'

const ComparedRevision = lazyPart(() => import('./compared-revision.tsx'))

export default function DefinitionPage() {
  const api = useApi()
  const { projectId, definitionId } = useIds('projectId', 'definitionId')
  const definition = useResource(['definitions', projectId, definitionId], (options) =>
    api.v1.projects({ projectId }).definitions({ definitionId }).get(options),
  )
  return <Shown resource={definition}>{(definition) => <One key={definition.id} definition={definition} />}</Shown>
}

function One({ definition }: { definition: Definition }) {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const { revisions } = api.v1.projects({ projectId }).definitions({ definitionId })
  const newest = useResource(['definitions', projectId, definitionId, 'revisions', 'newest'], (options) =>
    revisions.get({ ...options, query: { limit: newestMax } }),
  )
  return (
    <RevisedThing
      kind="definitions"
      thing={definition}
      mark={<Tag>{kind}</Tag>}
      newest={newest}
      whenEmpty="A revision holds the source. Releases pin revisions."
      latest={(revision) => <SourceView definition={definition} revision={revision} />}
      revisions={() => <Revisions definition={definition} />}
      contentsOf={({ source }) => source}
      picture={
        kind === 'entity'
          ? (before, after) => (
              <Suspense fallback={<Loading />}>
                <ComparedRevision
                  projectId={projectId}
                  definitionId={definitionId}
                  before={before.id}
                  after={after.id}
                />
              </Suspense>
            )
          : undefined
      }
      publish={(latest, published) => (
        <PublishSource key={latest?.id} definition={definition} latest={latest} published={published} />
      )}
      about={() => (
        <>
          <DefinitionName definition={definition} />
          <DefinitionEnd definition={definition} />
        </>
      )}
    />
  )
}

function Revisions({ definition: { projectId, id: definitionId, kind } }: { definition: Definition }) {
  const api = useApi()
  const place = projectOf(usePlace())
  const { revisions } = api.v1.projects({ projectId }).definitions({ definitionId })
  const pages = usePages(
    ['definitions', projectId, definitionId, 'revisions', 'list'],
    (options, query) => revisions.get({ ...options, query }),
    { limit: revisionsShown },
  )
  const { id: revisionId } = useRevisionInAddress()
  const asked = useResource(
    revisionId === '' ? null : ['definitions', projectId, definitionId, 'revisions', revisionId],
    (options) => revisions({ revisionId }).get(options),
  )
  const simulator: Column<DefinitionRevision> = {
    title: 'Simulator',
    cell: ({ id, number }) => (
      <Link
        href={at(place, 'definitions', definitionId, 'revisions', id, 'simulator')}
        aria-label={`Simulate revision ${number}`}
      >
        Simulate
      </Link>
    ),
  }
  return (
    <RevisionTable
      pages={pages}
      asked={asked}
      own={kind === 'entity' ? [simulator] : []}
      digestOf={({ sourceDigest }) => sourceDigest}
      contentsOf={({ source }) => source}
    />
  )
}
