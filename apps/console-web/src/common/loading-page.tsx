import { Center, Loader } from '@mantine/core';

export function LoadingPage() {
  return (
    <Center mih="40dvh" role="status" aria-busy="true">
      <Loader />
    </Center>
  );
}
