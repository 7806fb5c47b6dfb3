/** Agent: what it is told now, all of its revisions, and the next one. */
import { useState } from 'react'
import type { Agent } from '../../../agents/schema.ts'
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
import { AgentEnd } from './agent-end.tsx'
import { AgentName } from './agent-name.tsx'
import { Publish } from './publish.tsx'
import { RevisionView } from './revision-view.tsx'
import { Revisions } from './revisions.tsx'

type View = 'latest' | 'revisions' | 'compare' | 'publish' | 'about'

export default function AgentPage() {
  const api = useApi()
  const { projectId, agentId } = useIds('projectId', 'agentId')
  const agent = useResource(['agents', projectId, agentId], (options) =>
    api.v1.projects({ projectId }).agents({ agentId }).get(options),
  )
  return <Shown resource={agent}>{(agent) => <One key={agent.id} agent={agent} />}</Shown>
}

/** So many can be compared. */
const comparedMax = 50

function One({ agent }: { agent: Agent }) {
  const api = useApi()
  const place = usePlace()
  const [view, setView] = useState<View>('latest')
  const { projectId, id: agentId, name, slug, status, description, latestRevisionId } = agent
  const { revisions } = api.v1.projects({ projectId }).agents({ agentId })
  const newest = useResource(['agents', projectId, agentId, 'revisions', 'newest'], (options) =>
    revisions.get({ ...options, query: { limit: comparedMax } }),
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
          <code className="faint">{slug}</code>
          {status !== 'active' && <StateBadge state={status} />}
          {latest && <Tag>{`revision ${latest.number}`}</Tag>}
        </>
      }
      about={description ?? undefined}
      up={{ title: 'Agents', href: at(projectOf(place), 'agents') }}
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
          <Empty icon="agent" title="Nothing is published yet" action={publish}>
            A revision says what the Agent is told and what it may call. Releases pin revisions.
          </Empty>
        ) : (
          <Shown resource={newest}>{() => latest && <RevisionView revision={latest} />}</Shown>
        ))}
      {view === 'revisions' && <Revisions agent={agent} />}
      {view === 'compare' && (
        <Shown resource={newest}>
          {({ items }) => (
            <CompareRevisions
              revisions={items.map(({ id, number, content, grantedOperations }) => ({
                id,
                number,
                value: { content, grantedOperations },
              }))}
            />
          )}
        </Shown>
      )}
      {view === 'publish' &&
        (newest.value ? (
          <Publish key={latest?.id} agent={agent} latest={latest} published={() => setView('latest')} />
        ) : (
          <Loading />
        ))}
      {view === 'about' && (
        <>
          <AgentName agent={agent} />
          <AgentEnd agent={agent} />
        </>
      )}
    </Page>
  )
}
