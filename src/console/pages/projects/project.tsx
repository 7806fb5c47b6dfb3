/** Project: active Deployments, differences between Environments, contents. */
import { Link } from 'wouter'
import type { DeletionProgress } from '../../../tenancy/deletions/progress.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf, type Place, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Removal, removalLookMs } from '../../ui/removal.tsx'
import { Empty, Loading, Shown } from '../../ui/states.tsx'
import { opened } from '../../use-opened.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { Differences } from '../delivery/changes/difference-table.tsx'
import { EnvironmentBoard } from '../delivery/environment-board.tsx'
import { useEnvironments, useServed } from '../delivery/environments.ts'
import { useParts } from '../delivery/parts.ts'
import './projects.css'

export default function ProjectPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const project = useResource(['projects', projectId], (options) => api.v1.projects({ projectId }).get(options), {
    every: (project) => (project?.status === 'deleting' ? removalLookMs : null),
  })
  return (
    <Shown resource={project}>
      {({ name, status, slug, deletion }) => (
        <Page
          title={name}
          badge={status !== 'active' && <StateBadge state={status} />}
          about={<code>{slug}</code>}
          up={{ title: 'Projects', href: at(organizationOf(place), 'projects') }}
          actions={
            <LinkButton icon="settings" href={at(place, 'settings')}>
              Settings
            </LinkButton>
          }
        >
          {status === 'paused' && (
            <div className="banner banner-warning" role="status">
              <Icon name="warning" />
              <span>This Project is paused. It accepts no new work; runs in progress continue.</span>
              <Link href={at(place, 'settings')}>Resume it</Link>
            </div>
          )}
          {status === 'deleting' && <Going deletion={deletion} />}
          <Contents place={projectOf(place)} projectId={projectId} />
          <Environments place={projectOf(place)} projectId={projectId} />
        </Page>
      )}
    </Shown>
  )
}

function Going({ deletion }: { deletion: DeletionProgress | undefined }) {
  return (
    <div className="panel panel-danger">
      <Removal deletion={deletion} what="The Project" />
    </div>
  )
}

function Environments({ place, projectId }: { place: Place; projectId: string }) {
  const environments = useEnvironments(projectId)
  const served = useServed(environments.value?.items)
  return (
    <Shown resource={environments} rows={4}>
      {({ items }) =>
        served.value ? (
          <>
            <Section title="Environments">
              <EnvironmentBoard place={place} environments={items} served={served.value} />
            </Section>
            {[...served.value.values()].some((each) => each !== null) && (
              <Section title="Differences">
                <Differences environments={items} served={served.value} />
              </Section>
            )}
          </>
        ) : (
          <Shown resource={served} rows={4}>
            {() => <Loading rows={4} />}
          </Shown>
        )
      }
    </Shown>
  )
}

/** Counts of the Project's contents, with links. */
function Contents({ place, projectId }: { place: Place; projectId: string }) {
  const api = useApi()
  const parts = useParts(projectId)
  const releases = useResource(['releases', projectId, 'latest'], (options) =>
    api.v1.projects({ projectId }).releases.get({ ...options, query: { limit: 1 } }),
  )
  const { agents, definitions } = parts.value ?? {}
  const latest = releases.value?.items[0]
  if (agents?.length === 0) {
    return (
      <Empty
        icon="agent"
        title="Create an Agent"
        action={
          <LinkButton tone="primary" icon="plus" href={opened(at(place, 'agents'), 'new')}>
            New agent
          </LinkButton>
        }
      >
        Publish a revision of it, create a Release, and deploy that to an Environment.
      </Empty>
    )
  }
  return (
    <>
      <nav className="contents" aria-label="Contents">
        <Tile icon="agent" href={at(place, 'agents')} one="Agent" of={parts} count={agents?.length} />
        <Tile icon="book" href={at(place, 'definitions')} one="Definition" of={parts} count={definitions?.length} />
        <Tile
          icon="tag"
          href={at(place, 'releases')}
          one="Release"
          of={releases}
          count={releases.value && (latest?.number ?? 0)}
        />
      </nav>
      {parts.value && releases.value && !latest && (
        <div className="banner banner-info">
          <Icon name="tag" />
          <span>Next: create a Release and deploy it to an Environment.</span>
          <LinkButton small href={opened(at(place, 'releases'), 'new')}>
            New release
          </LinkButton>
        </div>
      )}
    </>
  )
}

interface TileProps {
  icon: IconName
  href: string
  /** The noun, for a count of one. */
  one: string
  /** What is counted. */
  of: { loading: boolean }
  /** Undefined until loaded, and without permission. */
  count: number | undefined
}

const Tile = ({ icon, href, one, of, count }: TileProps) => (
  <Link href={href} className="contents-tile">
    <Icon name={icon} size={20} />
    <span className="contents-value">{count ?? (of.loading ? '…' : '–')}</span>
    <span>{count === 1 ? one : `${one}s`}</span>
  </Link>
)
