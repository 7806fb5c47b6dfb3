/** Warnings about a key, before and after its creation. */
import { Icon } from '../../../ui/icon.tsx'

export interface Warning {
  code: string
  message: string
}

/** Shown before creation; the server returns the same warning. */
export const createsKeys: Warning = {
  code: 'creates_keys',
  message:
    'With api-keys:create this key may create further keys with any permissions: anyone who has it can do ' +
    'everything that you can.',
}

export const KeyWarnings = ({ warnings = [] }: { warnings?: readonly Warning[] | undefined }) =>
  warnings.map(({ code, message }) => (
    <div key={code} className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>{message}</span>
    </div>
  ))
