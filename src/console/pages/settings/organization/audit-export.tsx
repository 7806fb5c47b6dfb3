/** Downloads the filtered audit log as CSV or JSON Lines. */
import type { AuditNarrowing } from './audit-filters.tsx'
import { useOrganizationPath } from './use-organization.ts'

export function AuditExport({ query }: Pick<AuditNarrowing, 'query'>) {
  const { organizationIdOrSlug } = useOrganizationPath()
  const addressOf = (format: string) => {
    const given = Object.entries({ format, ...query }).filter(([, value]) => value !== undefined)
    const parameters = new URLSearchParams(given as [string, string][])
    return `/api/v1/organizations/${encodeURIComponent(organizationIdOrSlug)}/audit-events/export?${parameters}`
  }
  return (
    <>
      <a className="button button-plain" href={addressOf('csv')} download>
        Export CSV
      </a>
      <a className="button button-plain" href={addressOf('jsonl')} download>
        Export JSON Lines
      </a>
    </>
  )
}
