/** Reason why an activation failed. */

import { FailureText } from '../../ui/failure-text.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Activating } from './activation.ts'
import type { Environment } from './environments.ts'

export function ActivationNote({ activating, environment }: { activating: Activating; environment: Environment }) {
  const { overtaken, failure, pending, activate, reset } = activating
  if (overtaken) {
    // reload the page's data before another attempt
    const isShown = environment.generation >= overtaken.generation
    return (
      <div className="banner banner-warning" role="alert">
        <Icon name="warning" />
        <span>
          Another Deployment was activated in the meantime: the Environment is now at generation {overtaken.generation}.
          Review the active Deployment before you try again.
        </span>
        <Button
          needs="activations:create"
          small
          pending={pending}
          disabled={!isShown}
          onClick={() => activate(overtaken.deploymentId)}
        >
          Activate mine at generation {overtaken.generation}
        </Button>
        <Button small tone="quiet" onClick={reset}>
          Dismiss
        </Button>
      </div>
    )
  }
  if (!failure) return null
  return (
    <div className="banner banner-bad" role="alert">
      <Icon name="warning" />
      <FailureText failure={failure} />
    </div>
  )
}
