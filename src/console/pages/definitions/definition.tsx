/** Definition: what it says now, all of its revisions, and the next one. */
import { useState } from 'react'
import type { Definition } from '../../../definitions/schema.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CompareRevisions } from '../../ui/compare-revisions.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loading, Shown } from '../../ui/states.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import '../agents/agents.css'
import { DefinitionEnd, DefinitionName } from './about.tsx'
import { PublishSource } from './publish-source.tsx'
import { Revisions } from './revisions.tsx'
import { SourceView } from './source-view.tsx'

type View = 'latest' | 'revisions' | 'compare' | 'publish' | 'about'

/** So many can be compared. */
const comparedMax = 50

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
  const place = usePlace()
  const [view, setView] = useState<View>('latest')
  const { projectId, id: definitionId, name, kind, status, description, latestRevisionId } = definition
  const newest = useResource(['definitions', projectId, definitionId, 'revisions', 'newest'], (options) =>
    api.v1
      .projects({ projectId })
      .definitions({ definitionId })
      .revisions.get({ ...options, query: { limit: comparedMax } }),
  )
  const [latest] = newest.value?.items ?? []
  const publish = (
    <Button tone="primary" icon="plus" onClick={() => setView('publish')}>
      New revision
    </Button>
  )
  return (
    <Page
      title={name}
      badge={
        <>
          <Tag>{kind}</Tag>
          {status !== 'active' && <StateBadge state={status} />}
          {latest && <Tag>{`revision ${latest.number}`}</Tag>}
        </>
      }
      about={description ?? undefined}
      up={{ title: 'Definitions', href: at(projectOf(place), 'definitions') }}
      actions={view !== 'publish' && status === 'active' && publish}
    >
      <div className="views">
        <Segments<View>
          label="What to look at"
          value={view}
          onChoose={setView}
          options={[
            { value: 'latest', title: 'Latest' },
            { value: 'revisions', title: 'Revisions' },
            { value: 'compare', title: 'Compare' },
            { value: 'publish', title: 'New revision' },
            { value: 'about', title: 'About' },
          ]}
        />
      </div>
      {view === 'latest' &&
        (latestRevisionId === null ? (
          <Empty icon="book" title="Nothing is published yet" action={publish}>
            A revision says what it is. Releases pin revisions.
          </Empty>
        ) : (
          <Shown resource={newest}>{() => latest && <SourceView definition={definition} revision={latest} />}</Shown>
        ))}
      {view === 'revisions' && <Revisions definition={definition} />}
      {view === 'compare' && (
        <Shown resource={newest}>
          {({ items }) => (
            <CompareRevisions revisions={items.map(({ id, number, source }) => ({ id, number, value: source }))} />
          )}
        </Shown>
      )}
      {view === 'publish' &&
        (newest.value ? (
          <PublishSource key={latest?.id} definition={definition} latest={latest} published={() => setView('latest')} />
        ) : (
          <Loading />
        ))}
      {view === 'about' && (
        <>
          <DefinitionName definition={definition} />
          <DefinitionEnd definition={definition} />
        </>
      )}
    </Page>
  )
}
