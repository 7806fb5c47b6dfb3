/** A refused action, shown on the page until dismissed. */
import type { ApiFailure } from '../../api/failure.ts'
import './settings.css'
import { FailureText } from '../../ui/failure-text.tsx'
import { IconButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'

interface RefusalProps {
  action: { failure: ApiFailure | undefined; reset(): void }
  /** Further details. */
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
