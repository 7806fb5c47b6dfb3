/** Configuration of an Environment and its revisions. */
import { useState } from 'react'
import { useAccess } from '../../data/context.ts'
import { useReading } from '../../data/resource.ts'
import { at } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { LinkButton, NewButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../ui/forms/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { ConfigurationFrame } from '../settings/configuration-frame.tsx'
import { BindingHealth } from './binding-health.tsx'
import { changesSince } from './changes/configuration-changes.ts'
import { ConfigurationRevisions } from './configuration-revisions.tsx'
import './delivery.css'
import { useCapture } from './capture.ts'
import { type PresentConfiguration, usePresentConfiguration } from './changes/present-configuration.ts'
import { type Environment, kindNames, useEnvironment, useServed } from './environments.ts'
import { readConfiguration } from './pinned.ts'

export default function ConfigurationPage() {
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const environment = useEnvironment(projectId, environmentId)
  return <Shown resource={environment}>{(environment) => <One environment={environment} />}</Shown>
}

function One({ environment }: { environment: Environment }) {
  const place = usePlace()
  const { projectId, id: environmentId, kind, configurationHead } = environment
  const present = usePresentConfiguration(projectId, environmentId)
  const served = useServed([environment])
  const serving = served.value?.get(environmentId)?.configuration.number
  return (
    <ConfigurationFrame
      title={`Configuration of ${kindNames[kind]}`}
      about="Variables, Connections and models of this Environment. Deployments use an immutable Configuration Revision."
      up={{ title: kindNames[kind], href: at(place) }}
    >
      <div className="panel">
        <div className="section-head">
          <div className="row">
            <h2>Configuration {configurationHead.number}</h2>
            <Tag>newest</Tag>
            {serving === configurationHead.number && <Tag>active</Tag>}
            {serving !== undefined && serving !== configurationHead.number && (
              <span className="faint">Configuration {serving} is active.</span>
            )}
          </div>
          <div className="row">
            {serving !== configurationHead.number && (
              <LinkButton icon="rocket" href={at(place)}>
                Deploy
              </LinkButton>
            )}
            <Take environment={environment} />
          </div>
        </div>
        <SinceHead environment={environment} present={present} />
      </div>
      {environment.activeDeploymentId && <BindingHealth environment={environment} />}
      <Section title="Revisions">
        <ConfigurationRevisions environment={environment} serving={serving} />
      </Section>
    </ConfigurationFrame>
  )
}

function SinceHead({ environment, present }: { environment: Environment; present: PresentConfiguration }) {
  const access = useAccess()
  const { projectId, id: environmentId, configurationHead } = environment
  const head = useReading(['configuration', configurationHead.revisionId], () =>
    readConfiguration(access, { projectId, environmentId }, configurationHead.revisionId),
  )
  const { variables, connections, settings, parts } = present
  const failure = [head, variables, connections, settings, parts].find((each) => each.failure)?.failure
  if (failure?.status === 403 || (parts.value && !parts.value.agents))
    return <p className="faint">You lack permission to see whether the revision is up to date.</p>
  if (failure) return <p className="faint">Whether the revision is up to date could not be loaded: {failure.message}</p>
  if (!head.value || !variables.value || !connections.value || !settings.value || !parts.value)
    return <p className="faint">Comparing…</p>
  const now = { variables: variables.value, connections: connections.value, settings: settings.value }
  const changes = changesSince(head.value, now, parts.value.nameOf)
  if (changes.length === 0) return <p className="faint">No changes since this revision.</p>
  return (
    <p className="path-changes">
      <span>Changes since this revision:</span>
      {changes.map(({ what, name, is }) => (
        <Tag key={`${what} ${name} ${is}`}>{`${what} ${name}${is === 'changed' ? '' : ` (${is})`}`}</Tag>
      ))}
    </p>
  )
}

function Take({ environment }: { environment: Environment }) {
  const [open, setOpen] = useState(false)
  const { configurationHead, lifecycle } = environment
  const capture = useCapture(environment, { done: () => setOpen(false), quiet: true })
  return (
    <>
      <NewButton needs="deployments:create" disabled={lifecycle !== 'active'} onClick={() => setOpen(true)}>
        Create revision
      </NewButton>
      <Dialog title="Create Configuration Revision" open={open} onClose={() => setOpen(false)}>
        <Form action={capture} submit="Create" onSubmit={(text) => capture.run(text('description'))}>
          <p>
            Captures the current version of every variable, Connection and model. It follows configuration{' '}
            {configurationHead.number} and is immutable.
          </p>
          <TextField name="description" label="Description" hint="Optional." />
        </Form>
      </Dialog>
    </>
  )
}
