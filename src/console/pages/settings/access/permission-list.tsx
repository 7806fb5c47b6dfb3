/** Permissions grouped by family. */
import { Tag } from '../../../ui/badge.tsx'
import { familiesOf, verbOf } from './permission-families.ts'
import './permissions.css'

export const PermissionList = ({ permissions }: { permissions: readonly string[] }) => (
  <dl className="surface permission-list">
    {familiesOf(permissions).map(({ name, permissions }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd className="row">
          {permissions.map((permission) => (
            <Tag key={permission}>{verbOf(permission)}</Tag>
          ))}
        </dd>
      </div>
    ))}
  </dl>
)

/** Summary: `agent-runs (3), projects (2)`. */
export function permissionWords(permissions: readonly string[]): string {
  const families = familiesOf(permissions).map(({ name, permissions }) => `${name} (${permissions.length})`)
  return families.length > 3
    ? `${families.slice(0, 3).join(', ')} and ${families.length - 3} more`
    : families.join(', ')
}
