/** Configuration Revisions of an Environment and their contents. */
import { useState } from 'react'
import type { ConfigurationRevision } from '../../../delivery/configuration-revisions/schema.ts'
import { useAccess } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useReading } from '../../data/resource.ts'
import { Author } from '../../ui/author.tsx'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { InnerTabs } from '../../ui/tabs.tsx'
import { Json } from '../../ui/text/code.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { Time } from '../../ui/time.tsx'
import { useCredentials } from '../settings/environment-lists.ts'
import { usePresentConfiguration } from './changes/present-configuration.ts'
import { type Environment, useEnvironmentApi } from './environments.ts'
import { type Names, namedContent } from './named-content.ts'
import { readConfiguration } from './pinned.ts'

interface RevisionsProps {
  environment: Environment
  /** Number of the active revision. */
  serving: number | undefined
}

export function ConfigurationRevisions({ environment, serving }: RevisionsProps) {
  const api = useEnvironmentApi(environment)
  const { id: environmentId, configurationHead } = environment
  const [looked, setLooked] = useState<ConfigurationRevision>()
  const revisions = usePages(
    ['configurations', environmentId, 'list'],
    (options, query) =>
      api['configuration-revisions'].get({
        ...options,
        query,
      }),
    { limit: 20 },
  )
  return (
    <>
      <DataTable
        label="configuration revisions"
        pages={revisions}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Number',
            cell: ({ number }) => (
              <span className="row">
                <span className="number">{number}</span>
                {number === configurationHead.number && <Tag>newest</Tag>}
                {number === serving && <Tag>active</Tag>}
              </span>
            ),
          },
          { title: 'Description', cell: ({ description, number }) => description ?? (number === 0 ? 'Empty' : '–') },
          { title: 'Variables', align: 'end', cell: ({ variables }) => variables.length },
          { title: 'Connections', align: 'end', cell: ({ connections }) => connections.length },
          { title: 'Models', align: 'end', cell: ({ providerSettings }) => providerSettings.length },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Created by', cell: ({ createdBy }) => <Author by={createdBy} /> },
          {
            title: 'Contents',
            cell: (revision) => (
              <Button small aria-label={`View configuration ${revision.number}`} onClick={() => setLooked(revision)}>
                View
              </Button>
            ),
          },
        ]}
        empty={<Empty title="No configuration">Each Environment starts with an empty one.</Empty>}
      />
      <Dialog
        title={`Configuration ${looked?.number ?? ''}`}
        shape="wide"
        open={looked !== undefined}
        onClose={() => setLooked(undefined)}
      >
        {looked && <Contents environment={environment} revision={looked} />}
      </Dialog>
    </>
  )
}

/** Names, as far as permitted. */
function useNames(environment: Environment): Names {
  const { connections, parts } = usePresentConfiguration(environment.projectId, environment.id)
  const credentials = useCredentials()
  return {
    agent: (id) => parts.value?.nameOf(id) ?? id,
    connection(id, versionId) {
      const known = connections.value?.find((one) => one.id === id)
      const isCurrent = known?.currentVersion.id === versionId
      return { name: known?.name ?? id, version: isCurrent ? known.currentVersion.number : `earlier (${versionId})` }
    },
    credential: (id) => credentials.value?.items.find((one) => one.id === id)?.label ?? id,
  }
}

function Contents({ environment, revision }: { environment: Environment; revision: ConfigurationRevision }) {
  const access = useAccess()
  const { parentId } = revision
  const { projectId, id: environmentId } = environment
  const parent = useReading(parentId === null ? null : ['configuration', parentId], () =>
    readConfiguration(access, { projectId, environmentId }, parentId ?? ''),
  )
  const names = useNames(environment)
  const contentOf = (revision: ConfigurationRevision) => namedContent(revision, names)
  const contents = { title: 'Contents', content: () => <Json label="contents" value={contentOf(revision)} /> }
  if (parentId === null) return contents.content()
  return (
    <InnerTabs
      label="Configuration"
      tabs={[
        {
          title: 'Changes',
          content: () => (
            <Shown resource={parent} rows={3}>
              {(parent) => <Diff label="changes" before={contentOf(parent)} after={contentOf(revision)} />}
            </Shown>
          ),
        },
        contents,
      ]}
    />
  )
}
