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
  const known = integrations.value?.items
  return (
    <SettingsPage
      title="Integrations"
      about="OAuth clients of the organization. With an integration, users can connect their accounts for Agents to use."
    >
      <Shown resource={presets}>
        {({ items }) => {
          const free = items.filter(
            ({ presetKey }) => !known?.some((integration) => integration.presetKey === presetKey),
          )
          return (
            <>
              <Section title="Registered">
                {integrations.failure && !known ? (
                  <Failed failure={integrations.failure} retry={integrations.refresh} />
                ) : !known ? (
                  <Loading rows={3} />
                ) : known.length === 0 ? (
                  <Empty icon="plug" title="No integrations yet">
                    Create an OAuth client at one of the providers below, then register it here.
                  </Empty>
                ) : (
                  <div className="cards">
                    {known.map((integration: Integration) => (
                      <IntegrationCard
                        key={integration.id}
                        integration={integration}
                        preset={items.find(({ presetKey }) => presetKey === integration.presetKey)}
                      />
                    ))}
                  </div>
                )}
              </Section>
              {known && free.length > 0 && (
                <Section title="Available">
                  <div className="cards">
                    {free.map((preset) => (
                      <section key={preset.presetKey} className="surface card" aria-label={preset.name}>
                        <header className="section-head">
                          <h3>{preset.name}</h3>
                          <StateBadge state="not registered" />
                        </header>
                        <p className="faint">Default scopes: {preset.defaultScopes.length}.</p>
                        <div className="card-foot">
                          <Button icon="plus" onClick={() => setRegistering(preset)}>
                            Register {preset.name}
                          </Button>
                        </div>
                      </section>
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
