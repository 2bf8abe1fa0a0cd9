export { Notifications as NotificationCenter, notifications } from '@mantine/notifications';
