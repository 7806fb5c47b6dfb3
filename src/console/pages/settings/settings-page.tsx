/** Page frame with tabs of the organization's settings. */
import type { ApiFailure } from '../../api/failure.ts'
import { settingsTabs } from '../../shell/navigation.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { TabLinks } from '../../ui/tabs.tsx'
import { usePlace } from '../../use-place.ts'

interface SettingsPageProps extends PageProps {
  /** Failure of the page's list. A role has all permissions for a list or none. */
  failure?: ApiFailure | undefined
}

export function SettingsPage({ children, failure, actions, ...page }: SettingsPageProps) {
  const place = usePlace()
  const isBarred = failure?.status === 403 || failure?.status === 404
  return (
    <Page {...page} actions={!isBarred && actions}>
      <TabLinks label="Settings" tabs={settingsTabs(place)} />
      {children}
    </Page>
  )
}
