import asyncio
import locationd

async def main():
    async for location in locationd.locations():
        print(f"{location.latitude:.5f} {location.longitude:.5f} ± {location.horizontal_accuracy} m")

asyncio.run(main())
