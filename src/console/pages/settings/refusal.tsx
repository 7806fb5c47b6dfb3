/** Why something could not be done, on the page where it was tried: it stays until it is put away. */
import type { ApiFailure } from '../../api/failure.ts'
import './settings.css'
import { FailureText } from '../../ui/failure-text.tsx'
import { IconButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'

export interface RefusalProps {
  action: { failure: ApiFailure | undefined; reset(): void }
  /** What there is to say besides. */
  more?: (failure: ApiFailure) => string | undefined
}

export function Refusal({ action: { failure, reset }, more }: RefusalProps) {
  if (!failure) return null
  return (
    <div className="banner banner-bad refusal" role="alert">
      <Icon name="warning" />
      <span>
        <FailureText failure={failure} /> {more?.(failure)}
      </span>
      <IconButton small label="Dismiss" icon="close" onClick={reset} />
    </div>
  )
}
