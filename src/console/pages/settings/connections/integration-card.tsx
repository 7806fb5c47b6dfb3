/** One integration: status, verification, rotation, deletion. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { actorAt } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button, LinkButton } from '../../../ui/forms/button.tsx'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { Refusal } from '../refusal.tsx'
import type { Integration, Preset } from './integration.ts'
import { RotateIntegration } from './integration-dialogs.tsx'
import { adviceFor } from './integration-words.ts'
import { RedirectUri } from './redirect-uri.tsx'
import '../settings.css'
import { useOrganizationPath } from '../organization/use-organization.ts'

export function IntegrationCard({ integration, preset }: { integration: Integration; preset: Preset | undefined }) {
  const api = useApi()
  const place = usePlace()
  const [rotating, setRotating] = useState(false)
  const { id: integrationId, status, clientId, lastVerification, verifiedAt, currentVersion } = integration
  const one = api.v1.organizations(useOrganizationPath()).integrations({ integrationId })
  const name = preset?.name ?? integration.presetKey
  const [requested, setRequested] = useState(false)
  const verify = useAction(() => one.verify.post(), {
    changes: [['integrations']],
    quiet: true,
    done: () => setRequested(true),
  })
  const remove = useAction(() => one.delete(), {
    success: `${name} deleted`,
    changes: [['integrations']],
    quiet: true,
  })
  return (
    <section className="surface card" aria-label={name}>
      <header className="section-head">
        <h3>{name}</h3>
        <StateBadge state={status} tone={status === 'active' ? 'good' : 'bad'} />
      </header>
      <dl className="fact-rows">
        <dt>Client</dt>
        <dd className="value-wrap">{clientId}</dd>
        <dt>Version</dt>
        <dd>{currentVersion.number}</dd>
        <dt>Verified</dt>
        <dd>
          <Time at={verifiedAt} />
        </dd>
      </dl>
      {lastVerification?.outcome === 'failed' && (
        <div className="banner banner-bad refusal" role="status">
          <Icon name="warning" />
          <span>
            {lastVerification.message} {adviceFor(lastVerification.code)}
          </span>
        </div>
      )}
      {!preset && <p className="faint">{adviceFor('preset_removed')}</p>}
      {preset && lastVerification?.code === 'integration_redirect_uri_mismatch' && (
        <RedirectUri uri={preset.redirectUri} />
      )}
      <Refusal action={verify} more={({ code }) => adviceFor(code)} />
      <Refusal action={remove} />
      <p role="status" className="good-note">
        {verify.pending && `Asking ${name}…`}
        {!verify.pending && requested && lastVerification?.outcome === 'verified' && (
          <>
            <Icon name="check" /> {lastVerification.message}
          </>
        )}
      </p>
      <div className="card-foot">
        <Button
          needs="organization-integrations:verify"
          small
          pending={verify.pending}
          onClick={() => verify.run()}
          disabled={!preset}
        >
          Verify
        </Button>
        <Button needs="organization-integrations:update" small onClick={() => setRotating(true)} disabled={!preset}>
          Rotate
        </Button>
        <LinkButton small tone="quiet" href={actorAt(place, 'integration', integrationId)}>
          Statechart
        </LinkButton>
        <ConfirmButton
          needs="organization-integrations:delete"
          small
          tone="quiet"
          question={`Delete ${name}?`}
          consequence="All versions of its client are deleted. Its Connections work until their tokens expire; tokens are no longer renewed."
          confirm="Delete"
          pending={remove.pending}
          onConfirm={() => remove.run()}
        >
          Delete
        </ConfirmButton>
      </div>
      {rotating && <RotateIntegration integration={integration} name={name} onClose={() => setRotating(false)} />}
    </section>
  )
}
