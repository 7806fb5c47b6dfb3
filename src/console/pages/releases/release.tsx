/** Release: contents, and the Environments it is active in. */
import { Link } from 'wouter'
import type { Release } from '../../../authoring/releases/schema.ts'
import { useAccess, useApi } from '../../data/context.ts'
import { nameOrId } from '../../data/name-or-id.ts'
import { useReading, useResource } from '../../data/resource.ts'
import { at, type Place, projectOf } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { kindNames, useEnvironments, useServed } from '../delivery/environments.ts'
import { useParts } from '../delivery/parts.ts'
import { readNumbers } from '../delivery/pinned.ts'
import { SinceReleaseBefore } from './since-before.tsx'

export default function ReleasePage() {
  const api = useApi()
  const { projectId, releaseId } = useIds('projectId', 'releaseId')
  const release = useResource(['releases', projectId, releaseId], (options) =>
    api.v1.projects({ projectId }).releases({ releaseId }).get(options),
  )
  return <Shown resource={release}>{(release) => <One release={release} />}</Shown>
}

interface Pin {
  id: string
  revisionId: string
}

function One({ release }: { release: Release }) {
  const place = projectOf(usePlace())
  const { id, number, description, digest, createdAt, createdBy, delegateAttachments } = release
  const nameOf = useParts(release.projectId).value?.nameOf ?? ((id: string) => id)
  return (
    <Page
      title={`Release ${number}`}
      about={description ?? undefined}
      up={{ title: 'Releases', href: at(place, 'releases') }}
    >
      <Facts
        facts={[
          ['ID', <Id key="id" id={id} />],
          ['Digest', <Id key="digest" id={digest} />],
          ['Created', <Time key="made" at={createdAt} />],
          ['Created by', <Author key="by" by={createdBy} />],
        ]}
      />
      <Delivered place={place} release={release} />
      <SinceReleaseBefore release={release} />
      <Section title="Agents">
        <Pins
          label="agents"
          place={place}
          release={release}
          pins={release.agents.map(({ agentId, agentRevisionId }) => ({ id: agentId, revisionId: agentRevisionId }))}
        />
      </Section>
      {release.definitions.length > 0 && (
        <Section title="Definitions">
          <Pins
            label="definitions"
            place={place}
            release={release}
            pins={release.definitions.map(({ definitionId, definitionRevisionId }) => ({
              id: definitionId,
              revisionId: definitionRevisionId,
            }))}
          />
        </Section>
      )}
      {delegateAttachments.length > 0 && (
        <Section title="Delegates">
          <Table
            label="delegates"
            items={delegateAttachments}
            keyOf={({ agentId, name }) => `${agentId} ${name}`}
            columns={[
              { title: 'Agent', cell: ({ agentId }) => nameOf(agentId) },
              { title: 'Delegate name', cell: ({ name }) => <code>{name}</code> },
              { title: 'Delegate', cell: ({ delegateAgentId }) => nameOf(delegateAgentId) },
            ]}
          />
        </Section>
      )}
    </Page>
  )
}

interface PinsProps {
  label: 'agents' | 'definitions'
  place: Place
  release: Release
  pins: Pin[]
}

function Pins({ label, place, release, pins }: PinsProps) {
  const access = useAccess()
  const parts = useParts(release.projectId)
  const numbers = useReading(['numbers', release.id], () => readNumbers(access, release))
  const latest = new Map(
    [...(parts.value?.agents ?? []), ...(parts.value?.definitions ?? [])].map(({ id, latestRevisionId }) => [
      id,
      latestRevisionId,
    ]),
  )
  return (
    <Table
      label={label}
      items={pins}
      keyOf={({ id }) => id}
      href={({ id }) => at(place, label, id)}
      columns={[
        { title: 'Name', cell: ({ id }) => nameOrId(parts, parts.value?.nameOf(id), id) },
        {
          title: 'Revision',
          cell: ({ id, revisionId }) => (
            <span className="row">
              <span className="number">
                {numbers.value ? (numbers.value.get(id) ?? 'gone') : numbers.loading ? '…' : '–'}
              </span>
              {latest.has(id) &&
                (latest.get(id) === revisionId ? (
                  <Tag>newest</Tag>
                ) : (
                  <span className="faint">newer one available</span>
                ))}
            </span>
          ),
        },
        { title: 'ID', cell: ({ revisionId }) => <Id id={revisionId} /> },
      ]}
    />
  )
}

/** Environments of the Project: active Release, and a link to deploy. */
function Delivered({ place, release }: { place: Place; release: Release }) {
  const environments = useEnvironments(release.projectId)
  const served = useServed(environments.value?.items)
  return (
    <Section title="Environments">
      <Shown resource={environments} rows={3}>
        {({ items }) =>
          served.loading && !served.value ? (
            <Loading rows={3} />
          ) : (
            <Table
              label="environments"
              items={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Environment',
                  cell: ({ id, kind }) => <Link href={at({ ...place, environmentId: id })}>{kindNames[kind]}</Link>,
                },
                {
                  title: 'Status',
                  cell: ({ id }) => {
                    if (!served.value) return <span className="faint">unknown</span>
                    const there = served.value.get(id)?.release
                    if (!there) return <span className="faint">none</span>
                    return there.id === release.id ? <StateBadge state="active" /> : `Release ${there.number}`
                  },
                },
                {
                  title: 'Deploy',
                  cell: ({ id, kind }) =>
                    served.value &&
                    served.value.get(id)?.release.id !== release.id && (
                      <LinkButton
                        small
                        icon="rocket"
                        href={`${at({ ...place, environmentId: id })}?release=${release.id}`}
                      >
                        {`To ${kindNames[kind]}`}
                      </LinkButton>
                    ),
                },
              ]}
            />
          )
        }
      </Shown>
    </Section>
  )
}
