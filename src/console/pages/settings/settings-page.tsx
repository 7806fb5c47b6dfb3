/** The frame of all settings of an organization: a page with the ways to the others. */
import { settingsTabs } from '../../shell/navigation.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { TabLinks } from '../../ui/tabs.tsx'
import { usePlace } from '../../use-place.ts'

export function SettingsPage({ children, ...page }: PageProps) {
  const place = usePlace()
  return (
    <Page {...page}>
      <TabLinks label="Settings" tabs={settingsTabs(place)} />
      {children}
    </Page>
  )
}
