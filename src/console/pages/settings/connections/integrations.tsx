/** Integrations: the organization's OAuth clients. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { Empty, Failed, Loading, Shown } from '../../../ui/states.tsx'
import type { Integration, Preset } from './integration.ts'
import { IntegrationCard } from './integration-card.tsx'
import { RegisterIntegration } from './integration-dialogs.tsx'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

export default function IntegrationsPage() {
  const api = useApi()
  const organization = useOrganizationPath()
  const [registering, setRegistering] = useState<Preset>()
  const presets = useResource(['presets', 'integrations'], (options) =>
    api.v1['organization-integrations'].presets.get(options),
  )
  const integrations = useResource(['integrations'], (options) =>
    api.v1.organizations(organization).integrations.get(options),
  )
  return (
    <SettingsPage
      title="Integrations"
      about="OAuth clients of the organization. With an integration, users can connect their accounts for Agents to use."
    >
      <Shown resource={presets}>
        {({ items }) => {
          const known = integrations.value?.items
          const free = items.filter(
            ({ presetKey }) => !known?.some((integration) => integration.presetKey === presetKey),
          )
          return (
            <>
              <Section title="Registered">
                {integrations.failure && !known ? (
                  <Failed failure={integrations.failure} retry={integrations.refresh} />
                ) : (
                  <Registered known={known} presets={items} />
                )}
              </Section>
              {known && free.length > 0 && (
                <Section title="Available">
                  <div className="cards">
                    {free.map((preset) => (
                      <Available key={preset.presetKey} preset={preset} register={() => setRegistering(preset)} />
                    ))}
                  </div>
                </Section>
              )}
            </>
          )
        }}
      </Shown>
      {registering && <RegisterIntegration preset={registering} onClose={() => setRegistering(undefined)} />}
    </SettingsPage>
  )
}

interface RegisteredProps {
  known: readonly Integration[] | undefined
  presets: readonly Preset[]
}

function Registered({ known, presets }: RegisteredProps) {
  if (!known) return <Loading rows={3} />
  if (known.length === 0) {
    return (
      <Empty icon="plug" title="No integrations yet">
        Create an OAuth client at one of the providers below, then register it here.
      </Empty>
    )
  }
  return (
    <div className="cards">
      {known.map((integration) => (
        <IntegrationCard
          key={integration.id}
          integration={integration}
          preset={presets.find(({ presetKey }) => presetKey === integration.presetKey)}
        />
      ))}
    </div>
  )
}

/** A provider at which the organization can register a client. */
function Available({ preset, register }: { preset: Preset; register: () => void }) {
  return (
    <section className="surface card" aria-label={preset.name}>
      <header className="section-head">
        <h3>{preset.name}</h3>
        <StateBadge state="not registered" />
      </header>
      <p className="faint">Default scopes: {preset.defaultScopes.length}.</p>
      <div className="card-foot">
        <Button needs="organization-integrations:create" icon="plus" onClick={register}>
          Register {preset.name}
        </Button>
      </div>
    </section>
  )
}
